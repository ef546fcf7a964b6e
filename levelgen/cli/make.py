"""Commands that make packs: `build` and `daily`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from levelgen.cli.completion import recipes
from levelgen.cli.sources import SIGNER_HELP, cores, signers_from, span
from levelgen.cli.talk import Progress, emit_json, say, show
from levelgen.errors import Malformed, Untrusted

if TYPE_CHECKING:
    import datetime

    from levelgen.build import Order

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
    as_json: bool,
) -> int:
    """Make, prove, certify and sign the pack of RECIPE.

    The same recipe gives the same bytes on every machine. OUT is replaced whole, or left as it was.
    """
    if not as_json:
        say(f"reading {recipe}")
    from levelgen.build import Order

    order = Order.of(recipe, PROVERS[prover])
    chosen = span(levels, range(order.plans[0].level, order.plans[-1].level + 1))
    order = replace(order, plans=tuple(plan for plan in order.plans if plan.level in chosen))
    if release and levels is not None:
        raise Malformed.of("build/part", "part of a recipe is no release", "--levels", "leave --levels out")
    target = out or Path("out") / order.heading.pack
    editions = _Editions(target, archive, client)
    _run(order, target, signers, jobs, release, as_json, editions)
    return 0


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


def _run(
    order: Order,
    target: Path,
    sources: tuple[str, ...],
    jobs: int | None,
    release: bool,
    as_json: bool,
    editions: _Editions,
) -> None:
    from levelgen.build import build

    signer, *others = signers_from(sources, demonstration=True)
    with Progress(f"building {order.heading.pack}", len(order.plans), silent=as_json) as progress:
        summary = build(
            order,
            target,
            signer,
            jobs=jobs or _cores(len(order.plans)),
            release=release,
            step=progress.step,
            cosigners=others,
        )
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
    show(f"{target}: {manifest.levels} levels, every one certified; root {manifest.merkle_root[:16]}…")
    for path in paths.values():
        show(path)


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

    from levelgen.build import made_levels
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
        _run(order, out, signers, 1, False, as_json, _Editions(out))
        return 0
    made = [level.record for level in made_levels(order, 1)]
    if as_json:
        deals = [
            {"tier": plan.tier, "record": record.to_json()} for plan, record in zip(order.plans, made, strict=True)
        ]
        emit_json("daily/1", {"date": date.isoformat(), "deals": deals})
    else:
        for record in made:
            show(record.encode().decode())
    return 0


def _daily_order(recipe: Path, date: datetime.date, tier: str | None) -> Order:
    from levelgen.build import Order
    from levelgen.level import Workshop
    from levelgen.recipe import daily_plans

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
    return Order(recipe, workshop.heading(name, title), chosen)
