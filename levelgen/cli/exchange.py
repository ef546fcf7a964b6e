"""Commands that exchange layouts with other programs: `import` and `export`."""

from __future__ import annotations

import click


@click.command("import", epilog="Example:  levelgen import layouts/*.layout --licence CC-BY-4.0 -o templates/shapes")
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
def import_command(files: tuple[str, ...]) -> int:
    """Turn the layouts in FILE… into templates."""
    raise click.UsageError("not written yet")


@click.command("export", epilog="Example:  levelgen export turtle --format tmj -o turtle.tmj")
@click.argument("source")
def export_command(source: str) -> int:
    """Write a layout in a form other programs read."""
    raise click.UsageError("not written yet")
