"""The command `build`, and how it goes about it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from levelgen.cli.completion import recipes
from levelgen.cli.sources import SIGNER_HELP, cores, folder, signers_from, span, writable
from levelgen.cli.talk import Progress, emit_json, say, show, tell_findings
from levelgen.errors import Malformed, counted

if TYPE_CHECKING:
    from levelgen.build import Order, Summary

PROVERS = {"kernel": ("kernel",), "dfs": ("dfs",), "cpsat": ("cpsat",), "both": ("kernel", "cpsat"), "none": ()}


@click.command("build", epilog="Example:  levelgen build templates/packs/eram.yaml -o out/eram")
@click.argument("recipe", type=click.Path(path_type=Path), shell_complete=recipes)
@click.option(
    "-o", "--out", metavar="DIR", type=click.Path(path_type=Path), help="Where the pack goes; default: out/PACK."
)
@click.option("--jobs", type=click.IntRange(1, 256), help="Worker processes; default: one a core.")
@click.option("--levels", metavar="A..B", help="Only these levels, as a pack of their own.")
@click.option("--prover", type=click.Choice(list(PROVERS)), default="kernel", show_default=True,
              help="Who looks for a solution too; the deal's own is replayed in any case.")  # fmt: skip
@click.option("--signer", "--key", "signers", multiple=True, metavar="SIGNER",
              help=f"{SIGNER_HELP} Default: the DEMONSTRATION key.")  # fmt: skip
@click.option("--release", is_flag=True, help="Refuse the demonstration key and provisional artwork.")
@click.option("--strict", is_flag=True, help="Refuse levels that miss the target of the curve.")
@click.option("--archive", is_flag=True, help="Write the pack as one .lgpack beside it as well.")
@click.option(
    "--client",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the client edition (.lgpack) there as well.",
)
@click.option("--no-previews", is_flag=True, help="Draw no pictures; the pack then signs none.")
@click.option("--no-cache", is_flag=True, help="Make every level anew, and keep none for the next build.")
@click.option("--lock", "lock", is_flag=True, help="Write down in RECIPE.lock what the pack was made from.")
@click.option("--locked", is_flag=True, help="Refuse when that is not what RECIPE.lock says.")
@click.option("--cluster", metavar="ADDRESS",
              help="Make the levels on the Dask cluster of that scheduler, tcp://host:8786.")  # fmt: skip
@click.option("--report", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False),
              help="Write a report of the build there, as JSON.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="What was built, as JSON.")
def build_command(
    recipe: Path,
    out: Path | None,
    jobs: int | None,
    levels: str | None,
    prover: str,
    signers: tuple[str, ...],
    release: bool,
    strict: bool,
    archive: bool,
    client: Path | None,
    no_previews: bool,
    no_cache: bool,
    lock: bool,
    locked: bool,
    cluster: str | None,
    report: Path | None,
    as_json: bool,
) -> int:
    """Make, prove, certify and sign the pack of RECIPE.

    The same recipe gives the same bytes on every machine. OUT is replaced whole, or left as it was. Finished levels are
    kept ($LEVELGEN_CACHE, else the user's cache folder): a build that was interrupted goes on where it was.
    """
    if not as_json:
        say(f"reading {recipe}")
    from levelgen.build import Order
    from levelgen.inputs import lock_path, write_lock

    if cluster is not None and not cluster.strip():  # an unset variable must not mean this machine
        raise Malformed.of("cluster/address", "is empty", "--cluster", "write tcp://host:8786")
    if report is not None:
        _check_report(report)
    if lock:
        writable(lock_path(recipe), recipe)
    order = Order.of(recipe, PROVERS[prover], previews=not no_previews)
    if levels is not None:
        order = order.only(span(levels, order.numbers))
        for option, given in (("--release", release), ("--lock", lock)):
            if given:
                raise Malformed.of(
                    "build/part", f"part of a recipe takes no {option}", "--levels", "leave one of them out"
                )
    target = out or Path("out") / order.heading.pack
    folder(target.parent)
    editions = Editions(target, archive, client)
    how = How(jobs or workers_for(len(order.plans)), cluster or "", release, locked, not no_cache, report, strict)
    make_pack(order, target, signers, how, as_json, editions)
    if lock:
        path = write_lock(recipe, order.workshop)
        if not as_json:
            say(f"wrote {path}")
    return 0


@dataclass(frozen=True)
class How:
    """How a build goes about it; none of this shows in the pack."""

    jobs: int = 1
    cluster: str = ""
    release: bool = False
    locked: bool = False
    cached: bool = False
    report: Path | None = None
    strict: bool = False


@dataclass(frozen=True)
class Editions:
    """Further forms of a pack to write beside it, checked before anything is built."""

    target: Path
    archive: bool = False
    client: Path | None = None

    def __post_init__(self) -> None:
        if self.archive and self._archive.exists():
            writable(self._archive)
        if self.client is None:
            return
        if self.client.suffix != ".lgpack":
            raise Malformed.of(
                "build/client", f"{self.client} is no .lgpack", "--client", "write a name that ends in .lgpack"
            )
        if self.archive and self.client.resolve() == self._archive.resolve():
            raise Malformed.of("build/client", f"{self.client} is another edition", "--client", "choose another name")
        writable(self.client)

    @property
    def _archive(self) -> Path:
        return self.target.with_name(self.target.name + ".lgpack")

    def write(self) -> dict[str, str]:
        """Write them; their paths by kind."""
        from levelgen.pack.write import client_edition, pack_archive

        paths = {}
        if self.archive:
            paths["archive"] = str(pack_archive(self.target, self._archive))
        if self.client is not None:
            paths["client"] = str(client_edition(self.target, self.client))
        return paths


def make_pack(
    order: Order, target: Path, sources: tuple[str, ...], how: How, as_json: bool, editions: Editions
) -> None:
    """Build the order at `target`, signed by `sources`, and say what was built."""
    from levelgen.build import build
    from levelgen.cache import Cache, cache_folder

    signer, *others = signers_from(sources, demonstration=True)
    with (
        Cache.open(cache_folder() if how.cached else None) as cache,
        Progress(f"building {order.heading.pack}", len(order.plans), silent=as_json) as progress,
    ):
        summary = build(
            order, target, signer, jobs=how.jobs, cluster=how.cluster, release=how.release, locked=how.locked,
            strict=how.strict, cache=cache, step=progress.step, cosigners=others,
        )  # fmt: skip
    if how.report is not None:
        _write_report(how, order, target, summary, progress.seconds)
    if how.cached and summary.trouble:
        say(f"warning: nothing was kept for the next build: {summary.trouble}")
    assert summary.manifest is not None, "a build that returns has written its manifest"
    manifest = summary.manifest
    paths = editions.write()
    if as_json:
        emit_json(
            "build/1",
            {
                "pack": manifest.pack,
                "version": manifest.version,
                "levels": manifest.levels,
                "merkle_root": manifest.merkle_root,
                "out": str(target),
                **paths,
                "made": summary.made,
                "kept": summary.kept,
                "provers": summary.answers,
                "deals_thrown_away": summary.attempts,
                "off_curve": [finding.to_json() for finding in summary.off_curve],
                "provisional": manifest.face_set.provisional,
            },
        )
        return
    for name, verdicts in summary.answers.items():
        say(
            f"{name} looked by itself: "
            + ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
        )
    if summary.kept:
        say(f"{summary.kept} of the levels were in the cache; --no-cache makes them anew")
    tell_findings(summary.off_curve, word="warning")
    show(f"{target}: {counted(manifest.levels, 'level')}, every one certified; root {manifest.merkle_root[:16]}…")
    for path in paths.values():
        show(path)


REPORT = "levelgen/build-report/1"


def _check_report(path: Path) -> None:
    """Refuse now a report that could not be written after the build, or would take the place of something else.

    Raises:
        Malformed: `path` cannot be written, or is a file that is no report.
    """
    writable(path)
    if path.is_file():
        with path.open("rb") as file:
            begun = file.read(200)
        if begun and REPORT.encode() not in begun:
            raise Malformed.of(
                "build/report", "is there, and no report of a build; it is not replaced", str(path), "name another file"
            )


def _write_report(how: How, order: Order, target: Path, summary: Summary, seconds: float) -> None:
    """What a build did and what it took; times are of this machine and reach no pack."""
    import json
    import resource

    from levelgen import GENERATOR, __version__
    from levelgen.pack.disk import write_file

    assert how.report is not None
    assert summary.manifest is not None
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    data = {
        "schema": REPORT,
        "levelgen": __version__,
        "generator": GENERATOR,
        "pack": summary.manifest.pack,
        "version": summary.manifest.version,
        "levels": summary.manifest.levels,
        "merkle_root": summary.manifest.merkle_root,
        "out": str(target),
        "previews": order.setup.previews,
        "jobs": how.jobs,
        "cluster": how.cluster or None,
        "made": summary.made,
        "kept": summary.kept,
        "deals_thrown_away": summary.attempts,
        "provers": summary.answers,
        "worker_deaths": summary.deaths,
        "damaged_cache_entries": summary.damaged,
        "cache_trouble": summary.trouble or None,
        "seconds": round(seconds, 3),
        "levels_per_second": round(summary.manifest.levels / max(seconds, 0.001), 1),
        "cpu_seconds": {
            "own": round(own.ru_utime + own.ru_stime, 3),
            "workers": round(others.ru_utime + others.ru_stime, 3),
        },
        "peak_memory_kib": {"own": own.ru_maxrss, "largest_worker": others.ru_maxrss},
    }
    write_file(how.report, json.dumps(data, indent=2).encode() + b"\n")


def workers_for(levels: int) -> int:
    """One worker a core this process may use, and none that would find nothing to do."""
    return max(1, min(cores(), levels // 4))
