"""The command `vectors`: conformance vectors for implementations in other languages."""

from __future__ import annotations

from pathlib import Path

import click

from levelgen.cli.sources import folder
from levelgen.cli.talk import emit_json, show
from levelgen.errors import counted


@click.command("vectors", epilog="Example:  levelgen vectors -o vectors")
@click.option(
    "-o", "--out", metavar="DIR", required=True, type=click.Path(path_type=Path), help="The directory to write them to."
)
@click.option("--json", "as_json", is_flag=True, help="What was written, as JSON.")
def vectors_command(out: Path, as_json: bool) -> int:
    """Write the conformance vectors: JSON files that say what any implementation of the formats must answer.

    Files of the same names in DIR are replaced, others left alone.
    """
    from levelgen.pack.disk import write_file
    from levelgen.vectors import VERSION, vector_files

    folder(out)
    out.mkdir(parents=True, exist_ok=True)
    files = vector_files()
    for name, data in files.items():
        write_file(out / name, data)
    if as_json:
        emit_json("vectors/1", {"out": str(out), "version": VERSION, "files": sorted(files)})
    else:
        show(f"{out}: {counted(len(files), 'file')}, {sum(map(len, files.values()))} bytes, version {VERSION}")
    return 0
