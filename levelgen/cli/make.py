"""Commands that make packs: `build` and `daily`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from levelgen.cli.completion import recipes
from levelgen.cli.sources import SIGNER_HELP, cores, signers_from, span
from levelgen.cli.talk import Progress, emit_json, say, show
from levelgen.errors import Malformed, Untrusted

if TYPE_CHECKING:
    import datetime

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
@click.option("--cluster", metavar="ADDRESS", default="",
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
    archive: bool,
    client: Path | None,
    no_previews: bool,
    no_cache: bool,
    lock: bool,
    locked: bool,
    cluster: str,
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

    order = Order.of(recipe, PROVERS[prover], previews=not no_previews)
    if levels is not None:
        order = order.only(span(levels, order.numbers))
        for option, given in (("--release", release), ("--lock", lock)):
            if given:
                raise Malformed.of(
                    "build/part", f"part of a recipe takes no {option}", "--levels", "leave one of them out"
                )
    target = out or Path("out") / order.heading.pack
    editions = _Editions(target, archive, client)
    how = _How(jobs or _cores(len(order.plans)), cluster, release, locked, not no_cache, report)
    _run(order, target, signers, how, as_json, editions)
    if lock:
        from levelgen.inputs import write_lock

        path = write_lock(recipe, order.workshop)
        if not as_json:
            say(f"wrote {path}")
    return 0


@dataclass(frozen=True)
class _How:
    """How a build goes about it; none of this shows in the pack."""

    jobs: int = 1
    cluster: str = ""
    release: bool = False
    locked: bool = False
    cached: bool = False
    report: Path | None = None


@dataclass(frozen=True)
class _Editions:
    """Further forms of a pack to write beside it, checked before anything is built."""

    target: Path
    archive: bool = False
    client: Path | None = None

    def __post_init__(self) -> None:
        if self.client is None:
            return
        if self.client.suffix != ".lgpack":
            raise Malformed.of(
                "build/client", f"{self.client} is no .lgpack", "--client", "write a name that ends in .lgpack"
            )
        if not self.client.parent.is_dir():
            raise Malformed.of(
                "build/client", f"there is no directory {self.client.parent}", "--client", "make it first"
            )
        if self.client.is_dir() or (self.archive and self.client.resolve() == self._archive.resolve()):
            raise Malformed.of(
                "build/client", f"{self.client} is another edition or a directory", "--client", "choose another name"
            )

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


def _run(order: Order, target: Path, sources: tuple[str, ...], how: _How, as_json: bool, editions: _Editions) -> None:
    from levelgen.build import build
    from levelgen.cache import Cache, cache_folder

    signer, *others = signers_from(sources, demonstration=True)
    with (
        Cache.open(cache_folder() if how.cached else None) as cache,
        Progress(f"building {order.heading.pack}", len(order.plans), silent=as_json) as progress,
    ):
        summary = build(
            order, target, signer, jobs=how.jobs, cluster=how.cluster, release=how.release, locked=how.locked,
            cache=cache, step=progress.step, cosigners=others,
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
        say(f"{summary.kept} of the levels were there from before")
    show(f"{target}: {manifest.levels} levels, every one certified; root {manifest.merkle_root[:16]}…")
    for path in paths.values():
        show(path)


def _write_report(how: _How, order: Order, target: Path, summary: Summary, seconds: float) -> None:
    """What a build did and what it took; times are of this machine and reach no pack."""
    import json
    import resource

    from levelgen import GENERATOR, __version__
    from levelgen.pack.disk import write_file

    assert how.report is not None
    assert summary.manifest is not None
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    data = {
        "schema": "levelgen/build-report/1",
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


def _cores(levels: int) -> int:
    """One worker a core this process may use, and none that would find nothing to do."""
    return max(1, min(cores(), levels // 4))


@click.command("daily", epilog="Example:  levelgen daily --date 2026-12-01 -o out/daily")
@click.option("--date", "day", metavar="YYYY-MM-DD", help="The local date in Kathmandu; default: today there.")
@click.option("--recipe", type=click.Path(path_type=Path), default=Path("templates/packs/tilematch.yaml"),
              show_default=True, help="The recipe with the daily channel.")  # fmt: skip
@click.option("-o", "--out", metavar="DIR", type=click.Path(path_type=Path), help="Write a signed pack there.")
@click.option("--level", "tier", help="Only this level: easy, medium, hard.")
@click.option("--signer", "--key", "signers", multiple=True, metavar="SIGNER",
              help=f"{SIGNER_HELP} Default: the DEMONSTRATION key.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="The deals as JSON.")
def daily_command(
    day: str | None, recipe: Path, out: Path | None, tier: str | None, signers: tuple[str, ...], as_json: bool
) -> int:
    """The deals of the day: one a level, the same for everybody, new at midnight in Kathmandu (UTC+05:45).

    Printed one board file line each, unless -o asks for a pack.
    """
    import datetime
    import json

    from levelgen.build import made_here
    from levelgen.recipe import kathmandu_date

    if day is None:
        date = kathmandu_date(datetime.datetime.now(datetime.UTC))
    else:
        try:
            date = datetime.datetime.strptime(day, "%Y-%m-%d").date()
            if date.isoformat() != day:
                raise ValueError(day)
        except ValueError:
            raise Malformed.of("daily/date", f"{day!r} is no date", "--date", "write it as 2026-12-01") from None
    order = _daily_order(recipe, date, tier)
    if out is not None:
        _run(order, out, signers, _How(), as_json, _Editions(out))
        return 0
    lines = [level.ready.line.decode() for level in made_here(order)]
    if as_json:
        deals = [{"tier": plan.tier, "record": json.loads(line)} for plan, line in zip(order.plans, lines, strict=True)]
        emit_json("daily/1", {"date": date.isoformat(), "deals": deals})
    else:
        for line in lines:
            show(line)
    return 0


def _daily_order(recipe: Path, date: datetime.date, tier: str | None) -> Order:
    from levelgen.build import Order
    from levelgen.level import Workshop
    from levelgen.recipe import daily_plans
    from levelgen.workbench import Setup

    workshop = Workshop.open(recipe)
    plans = daily_plans(workshop.recipe, date)
    pin, now = workshop.recipe.daily.pin if workshop.recipe.daily else "", workshop.daily_pin()
    if pin not in ("", now):
        raise Untrusted.of(
            "daily/other-pin",
            "the generator, a template or a face is not the one this channel is pinned to: its deals would differ",
            str(recipe),
            f"go back to what was pinned, or begin anew with `pin: {now}`",
        )
    chosen = tuple(plan for plan in plans if tier in (None, plan.tier))
    if not chosen:
        known = ", ".join(plan.tier for plan in plans)
        raise Malformed.of("daily/level", f"there is no level {tier!r}", "--level", f"use one of {known}")
    name, title = f"{workshop.recipe.pack}-daily-{date.isoformat()}", f"{workshop.recipe.title} · {date.isoformat()}"
    return Order(Setup(recipe, workshop.heading(name, title)), chosen, workshop)
