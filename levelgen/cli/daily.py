"""The command `daily`: the deals of the day, of one date or of many."""

from __future__ import annotations

import datetime
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from levelgen.cli.completion import recipes
from levelgen.cli.make import Editions, How, make_pack, workers_for
from levelgen.cli.sources import SIGNER_HELP, folder
from levelgen.cli.talk import emit_json, show
from levelgen.daily import MAX_DAYS, date_of_seed, kathmandu_date
from levelgen.errors import Malformed, Untrusted

if TYPE_CHECKING:
    from levelgen.build import Order


def _date(_context: click.Context, option: click.Parameter, value: str | None) -> datetime.date | None:
    if value is None:
        return None
    try:
        date = datetime.datetime.strptime(value, "%Y-%m-%d").date()
        if date.isoformat() != value:
            raise ValueError(value)
    except ValueError:
        raise Malformed.of("daily/date", f"{value!r} is no date", option.opts[0], "write it as 2026-12-01") from None
    return date


@click.command("daily", epilog="Example:  levelgen daily --year 2027 -o out/daily-2027")
@click.option("--date", metavar="YYYY-MM-DD", callback=_date, help="The local date in Kathmandu; default: today there.")
@click.option("--year", type=click.IntRange(1, 9999), help="Every day of that year.")
@click.option("--from", "start", metavar="YYYY-MM-DD", callback=_date, help="Every day from that one …")
@click.option("--to", "end", metavar="YYYY-MM-DD", callback=_date, help="… to this one, both included.")
@click.option("--recipe", type=click.Path(path_type=Path), default=Path("templates/packs/tilematch.yaml"),
              show_default=True, shell_complete=recipes, help="The recipe with the daily channel.")  # fmt: skip
@click.option("-o", "--out", metavar="DIR", type=click.Path(path_type=Path), help="Write a signed pack there.")
@click.option("--level", "tier", help="Only this level: easy, medium, hard.")
@click.option("--jobs", type=click.IntRange(1, 256), help="With -o: worker processes; default: one a core.")
@click.option("--signer", "--key", "signers", multiple=True, metavar="SIGNER",
              help=f"{SIGNER_HELP} Default: the DEMONSTRATION key.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="The deals as JSON.")
def daily_command(
    date: datetime.date | None,
    year: int | None,
    start: datetime.date | None,
    end: datetime.date | None,
    recipe: Path,
    out: Path | None,
    tier: str | None,
    jobs: int | None,
    signers: tuple[str, ...],
    as_json: bool,
) -> int:
    """The deals of the day: one a level, the same for everybody, new at midnight in Kathmandu (UTC+05:45).

    Printed one board file line each, unless -o asks for a pack. --year, or --from and --to, take many days: their pack
    holds one day after the other, in each the levels in the recipe's order.
    """
    first, last = _span(date, year, start, end)
    if out is not None:
        folder(out.parent)
    order = daily_order(recipe, first, last, tier)
    if out is not None:
        how = How(jobs=jobs or workers_for(len(order.plans)))
        make_pack(order, out, signers, how, as_json, Editions(out))
        return 0
    from levelgen.build import made_here

    lines = (level.ready.line.decode() for level in made_here(order))
    if not as_json:
        for line in lines:
            show(line)
        return 0
    deals = []
    for plan, line in zip(order.plans, lines, strict=True):
        named = date_of_seed(plan.seed)
        assert named is not None, "a deal of the day has a seed that names the day"
        deals.append({"date": named[1].isoformat(), "tier": plan.tier, "record": json.loads(line)})
    days = {"date": first.isoformat()} if first == last else {"from": first.isoformat(), "to": last.isoformat()}
    emit_json("daily/1", {**days, "deals": deals})
    return 0


def _span(
    date: datetime.date | None, year: int | None, start: datetime.date | None, end: datetime.date | None
) -> tuple[datetime.date, datetime.date]:
    """The first and the last day that are asked for; today in Kathmandu when none is."""
    if (start is None) != (end is None) or sum(each is not None for each in (date, year, start)) > 1:
        raise click.UsageError("name one of: --date, --year, --from with --to")
    if year is not None:
        return datetime.date(year, 1, 1), datetime.date(year, 12, 31)
    if start is None or end is None:
        day = date or kathmandu_date(datetime.datetime.now(datetime.UTC))
        return day, day
    if not 0 <= (end - start).days < MAX_DAYS:
        fix = "exchange the two" if end < start else "make several packs"
        raise Malformed.of("daily/span", f"{start} to {end} is no span of 1 to {MAX_DAYS} days", "--to", fix)
    return start, end


def daily_order(path: Path, first: datetime.date, last: datetime.date, tier: str | None) -> Order:
    """The deals of those days and that tier, or all, as a pack.

    Raises:
        Malformed: the recipe has no such deals, or with every defect of it.
        Untrusted: they would be made with other things than the channel is pinned to.
    """
    from levelgen.build import Order
    from levelgen.level import Workshop
    from levelgen.recipe import daily_plans
    from levelgen.workbench import Setup

    workshop = Workshop.open(path)
    recipe = workshop.recipe
    if recipe.daily is None:
        raise Malformed.of("recipe/no-daily", "the recipe has no deals of the day", str(path),
                           "add `daily: {seed: …, tiers: […]}`, or name another recipe")  # fmt: skip
    pin, now = recipe.daily.pin, workshop.daily_pin()
    if pin not in ("", now):
        raise Untrusted.of(
            "daily/other-pin",
            "the generator, a template or a face is not the one this channel is pinned to: its deals would differ",
            str(path),
            f"go back to what was pinned, or begin anew with `pin: {now}`",
        )
    days = [first + datetime.timedelta(days) for days in range((last - first).days + 1)]
    plans = [plan for at, day in enumerate(days) for plan in daily_plans(recipe, day, 1 + at * len(recipe.daily.tiers))]
    if tier is not None:
        plans = [plan for plan in plans if plan.tier == tier]
        if len(days) > 1:
            plans = [replace(plan, level=number) for number, plan in enumerate(plans, 1)]
    if not plans:
        known = ", ".join(recipe.daily.tiers)
        raise Malformed.of("daily/level", f"there is no level {tier!r}", "--level", f"use one of {known}")
    name = _name(first, last)
    heading = workshop.heading(f"{recipe.pack}-daily-{name}", f"{recipe.title} · {name}")
    return Order(Setup(path, heading), tuple(plans), workshop)


def _name(first: datetime.date, last: datetime.date) -> str:
    """What the pack of those days is called: by its day, its year, or its first and last day."""
    if first == last:
        return first.isoformat()
    whole = (first.month, first.day, last.month, last.day) == (1, 1, 12, 31) and first.year == last.year
    return f"{first.year:04}" if whole else f"{first.isoformat()}-to-{last.isoformat()}"
