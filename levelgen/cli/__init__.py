"""The command line: parse, call, print, exit code.

A command's module is imported only when that command is called or asked for help, and heavy libraries only where they
are used. Whatever goes wrong ends here, in one of the documented exit codes (`docs/formats.md`); a traceback is a bug.
"""

from __future__ import annotations

import errno
import importlib
import io
import os
import re
import signal
import sys

import click

from levelgen import __version__
from levelgen.cli.talk import emit_json, no_more_waiting, say, tell_findings, waiting
from levelgen.errors import Finding, LevelgenError, SystemFailed, unforeseen

COMMANDS: dict[str, tuple[str, str]] = {
    "build": ("make", "Make, prove, certify and sign the pack of a recipe."),
    "calibrate": ("rate", "Fit the difficulty number to what real players did."),
    "check": ("solve", "Re-derive a claim from its evidence, without any solver."),
    "completion": ("completion", "The script that makes a shell complete what you type."),
    "curve": ("curve", "Target and reached difficulty of every level of a pack."),
    "daily": ("daily", "The deals of the day for a date in Kathmandu."),
    "diff": ("compare", "What changed between two packs, level by level."),
    "export": ("exchange", "Write a layout as Tiled TMJ, JSON, CSV or KMahjongg .layout."),
    "explain": ("explain", "Why a board cannot be won, in a designer's words."),
    "faces": ("faces", "Check or list a face set."),
    "gallery": ("gallery", "Write a pack as one page to look at and to play."),
    "import": ("exchange", "Turn layouts of other programs into templates."),
    "init": ("design", "Make a project: templates, a recipe, faces, schemas for editors."),
    "hint": ("solve", "A move that keeps a position winnable."),
    "keys": ("trust", "Make signing keys."),
    "lint": ("lint", "Every error of templates, recipes and face sets."),
    "preview": ("pictures", "Draw levels as PNG, or their solutions as films."),
    "publish": ("publish", "Make packs the current ones of a channel, or go back."),
    "rate": ("rate", "How hard boards are: number, shares, figures, play time."),
    "replay": ("replay", "Judge a player's log, or a stream of them."),
    "review": ("review", "Accept changed levels, or keep the old ones in the recipe."),
    "sheet": ("pictures", "Draw a contact sheet of a pack, on a screen or on paper."),
    "show": ("look", "Show a board in the terminal."),
    "shuffle": ("solve", "Deal the rest of a position anew so that it can be won."),
    "solve": ("solve", "Decide whether a board can be won."),
    "trust": ("roots", "Say who may sign packs and releases: make, rotate, revoke, check."),
    "try": ("design", "Deal a template at random: how many deals can be won."),
    "tune": ("curve", "Where a recipe's curve is out of reach, and what to change."),
    "vectors": ("vectors", "Write conformance vectors for implementations in other languages."),
    "watch": ("gallery", "Serve a recipe's gallery, kept up to date while you edit."),
    "verify": ("trust", "Check signature, tree, records and every certificate of a pack."),
}


AT_ONCE = ("completion", "init", "keys", "publish", "trust")
"""Commands that answer or ask at once."""


class _Unread(Exception):
    """Whoever read our output went away; told apart from what click makes of it, an exit code of 1."""


class Commands(click.Group):
    """The table above as a click group; modules load on demand, mistyped names get a suggestion."""

    def invoke(self, ctx: click.Context) -> object:
        """As click does, but a closed pipe is left to `run`."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise _Unread from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, alphabetically."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, its module imported now."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"levelgen.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in `--help`, from the table alone."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][1]) for name in sorted(COMMANDS)])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with the nearest name when there is none; on a terminal a line says at once that it begins."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else " See 'levelgen --help'."
            raise click.UsageError(f"No such command {args[0]!r}.{hint}", ctx)
        if args and args[0] not in AT_ONCE and not ctx.resilient_parsing and not {"-h", "--help"} & {*args}:
            waiting(f"levelgen {args[0]} …")
        return super().resolve_command(ctx, args)


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example:  levelgen build templates/packs/eram.yaml -o out/eram",
)
@click.version_option(__version__, message="levelgen %(version)s")
def levelgen() -> None:
    """Makes and certifies levels for tile-matching games."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with a documented code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    for number in _POLITE:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup has it
            signal.signal(number, _interrupt)
    if sys.stdout is None or sys.stderr is None:  # closed by whoever started us
        sys.exit(SystemFailed.exit_code)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names of files may be no text
    code = run(arguments)
    for number in _POLITE:  # on its way out Python would put the deadly handlers back
        signal.signal(number, signal.SIG_IGN)
    sys.exit(code)


_POLITE = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class _Interrupted:
    """Whether this process was interrupted already."""

    yet = False


def _interrupt(_number: int, _frame: object) -> None:
    """A polite kill is an interruption like Ctrl-C: temporary files go, workers stop, the exit code says resumable.

    The first one counts. Those that follow find a process that is tidying up already, and must not keep it from that.
    """
    if not _Interrupted.yet:
        _Interrupted.yet = True
        raise KeyboardInterrupt


def run(arguments: list[str]) -> int:
    """Run the command line and return its exit code."""
    try:
        return _run(arguments)
    finally:
        no_more_waiting()


def _run(arguments: list[str]) -> int:
    try:
        code = levelgen.main(arguments, prog_name="levelgen", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except SystemExit as stop:  # a shell asked for completions
        return stop.code if isinstance(stop.code, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:  # a bare `levelgen`: the help is the answer
        error.show(sys.stderr)
        return 2
    except click.ClickException as error:
        return _fail(arguments, (_usage_finding(error),), 2)
    except LevelgenError as error:
        return _fail(arguments, error.findings, error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        say("interrupted; nothing is lost, run the same command again")
        return 130
    except (BrokenPipeError, _Unread):
        return _unread()
    except OSError as error:
        return _fail(arguments, (_system_finding(error),), SystemFailed.exit_code)
    except Exception as error:
        import traceback

        if os.environ.get("LEVELGEN_TRACEBACK"):
            traceback.print_exc()
        place = traceback.extract_tb(error.__traceback__)[-1]
        found = unforeseen(
            error,
            f"{os.path.basename(place.filename)}:{place.lineno}",
            "run again with LEVELGEN_TRACEBACK=1 and report what it prints",
        )
        return _fail(arguments, found.findings, found.exit_code)


def _unread() -> int:
    """Whoever read our output has seen enough: nothing is wrong, and nothing more is written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _fail(arguments: list[str], findings: tuple[Finding, ...], code: int) -> int:
    tell_findings(findings)
    return _emit_error(arguments, findings, code)


def _emit_error(arguments: list[str], findings: tuple[Finding, ...], code: int) -> int:
    """The findings as JSON where that was asked for; the exit code, which is another when stdout takes nothing."""
    if "--json" not in arguments and "json" not in arguments:
        return code
    try:
        emit_json("error/1", {"exit_code": code, "findings": [finding.to_json() for finding in findings]})
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return SystemFailed.exit_code
    return code


def _usage_finding(error: click.ClickException) -> Finding:
    """What is wrong with a command line, and how one that works looks."""
    message = error.format_message().rstrip(".").replace("is not a valid integer range", "is no whole number")
    message = re.sub(r"(-?\d+) is not in the range (-?\d+)<=x<=(-?\d+)", r"\1 is not between \2 and \3", message)
    message = re.sub(r"(-?\d+) is not in the range x>=(-?\d+)", r"\1 is less than \2", message)
    message = message[:1].lower() + message[1:]
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is None:
        return Finding("usage", message, fix="levelgen --help lists the commands")
    fixes = []
    choice = error.param.type if isinstance(error, click.BadParameter) and error.param else None
    wrong = re.match(r".*?'([^']*)' is not one of", message)
    if isinstance(choice, click.Choice) and wrong:
        from difflib import get_close_matches

        near = get_close_matches(wrong[1], list(map(str, choice.choices)), n=1)
        fixes += [f"did you mean {near[0]!r}?"] if near else []
    fixes.append(f"{context.command_path} --help explains")
    if context.command.epilog:
        fixes.append(context.command.epilog.strip().replace("Example:  ", "for example: "))
    return Finding("usage", message, fix="; ".join(fixes))


_SYSTEM_FIXES = {
    errno.ENOSPC: "free some space, then run the same command again",
    errno.EACCES: "check the permissions of that path",
    errno.EPERM: "check the permissions of that path",
    errno.EROFS: "choose an output directory that can be written",
    errno.ENOENT: "check the path: its folder must be there",
    errno.EEXIST: "choose a name that is not taken",
    errno.ENOTDIR: "check the path: a part of it is a file",
    errno.EISDIR: "name a file in that folder",
    errno.ENAMETOOLONG: "choose a shorter name",
    errno.ELOOP: "a link leads to itself: check the path",
    errno.EMFILE: "close some programs, then run the same command again",
    errno.ENOMEM: "free some memory, or use fewer --jobs, then run the same command again",
}


_DRAFT = re.compile(r"\.([^/]+)\.(?:draft-[0-9]+|lock|part|[^./]+\.part)$")
"""What a file is called while it is written: people are told the name they gave."""


def _system_finding(error: OSError) -> Finding:
    names = [_DRAFT.sub(r"\1", str(name)) for name in (error.filename, error.filename2) if name is not None]
    fix = _SYSTEM_FIXES.get(error.errno or 0, "run the same command again; ask whoever keeps this machine")
    return Finding("system/" + errno.errorcode.get(error.errno or 0, "failed").lower(), str(error.strerror or error),
                   " → ".join(names), fix)  # fmt: skip
