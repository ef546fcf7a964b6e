"""JavaScript passes every conformance vector, judges random games as the law does, and answers as `replay` does."""

from __future__ import annotations

import json
import shutil
import subprocess
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from levelgen.certificate import moves_under
from levelgen.cli import run
from levelgen.moves import Log, Move, encode
from levelgen.pack.signing import public_pem
from levelgen.pack.write import client_edition, pack_archive
from levelgen.replay import replay
from levelgen.rules import RULESETS
from levelgen.seed import Stream
from levelgen.tools import AIDS, Allowance
from levelgen.vectors import board_json, context_json, random_board, random_context, random_play, random_rules
from levelgen.verify import open_pack
from tests.packs import SIGNER, TRUST, signer, write_tiny

TESTS = Path(__file__).resolve().parent
VECTORS = TESTS / "vectors"
CLIENTS = TESTS.parent / "levelgen" / "clients"
GAMES = 4000
LOGS = 25


def node(*arguments: str | Path, given: str = "", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    program = shutil.which("node")
    if program is None:
        pytest.skip("needs node")
    return subprocess.run(
        [program, *map(str, arguments)], input=given, cwd=cwd, capture_output=True, text=True, check=False
    )


def test_javascript_passes_every_vector() -> None:
    done = node(VECTORS / "conform.mjs")
    index = json.loads((VECTORS / "index.json").read_bytes())["files"]
    assert done.stderr == ""
    assert json.loads(done.stdout) == {name: entry["cases"] for name, entry in index.items()}
    assert done.returncode == 0


@pytest.mark.parametrize("name", sorted(json.loads((VECTORS / "index.json").read_bytes())["files"]))
def test_the_check_sees_a_wrong_answer(name: str, tmp_path: Path) -> None:
    for path in VECTORS.glob("*.json"):
        shutil.copy(path, tmp_path)
    data = json.loads((tmp_path / name).read_bytes())
    first = (data if isinstance(data, list) else data["cases"])[0]
    answers = {"words", "gates", "start", "verdict", "faces", "log", "canonical", "record", "root", "good", "keyid",
               "payload", "refused", "date", "shuffle", "context", "remember"}  # fmt: skip
    answer = next(field for field in reversed(first) if field in answers)
    first[answer] = [*first[answer], "wrong"] if isinstance(first[answer], list) else "wrong"
    (tmp_path / name).write_text(json.dumps(data))
    index = json.loads((tmp_path / "index.json").read_bytes())
    index["files"][name]["sha256"] = sha256((tmp_path / name).read_bytes()).hexdigest()
    (tmp_path / "index.json").write_text(json.dumps(index))
    done = node(VECTORS / "conform.mjs", tmp_path)
    assert done.returncode == 1
    assert f"{name}, case 1 " in done.stderr


def test_thousands_of_random_games_are_judged_alike() -> None:
    lines, wanted = [], []
    for number in range(GAMES):
        stream = Stream("javascript", f"game/{number}")
        deal = random_board(stream, random_rules(stream), stream.between(2, 8))
        context = random_context(stream) if stream.below(4) else None
        log = random_play(deal, stream, stream.between(1, 60))
        game = {"board": board_json(deal), "context": context_json(context), "log": " ".join(map(encode, log))}
        lines.append(json.dumps(game))
        wanted.append(replay(deal, log, context).to_json())
    done = node(TESTS / "judge.mjs", given="\n".join(lines))
    assert done.stderr == ""
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == GAMES
    for line, theirs, ours in zip(lines, found, wanted, strict=True):
        assert theirs == ours, line
    # The games are worth playing: every verdict, many tools, many reasons.
    assert {verdict["verdict"] for verdict in wanted} == {"won", "lost", "unfinished", "refused"}
    assert len({verdict["refused"]["reason"] for verdict in wanted if verdict["refused"]}) >= 12
    assert sum(verdict["spent"]["shuffle"] for verdict in wanted) > GAMES / 10


def test_the_module_needs_nothing_but_the_language() -> None:
    source = (CLIENTS / "levelgen.mjs").read_text(encoding="utf-8")
    assert not any(line.startswith("import ") for line in source.splitlines())
    assert not any(call in source for call in ("require(", "import("))
    assert not any(name in source for name in ("process.", " Buffer", "node:", "window", "document."))


LOADS = """
delete globalThis.crypto;
Object.defineProperty(globalThis, "crypto", { value: {}, configurable: true });
const { DEMO_TRUST, openEnvelope, sha256Hex, toBytes, verifySignature } = await import(process.argv[1]);
console.log(sha256Hex(toBytes("abc")).slice(0, 8));
const key = DEMO_TRUST.keys[0];
await verifySignature(key, new Uint8Array(64), new Uint8Array()).catch((error) => console.log(error.findings[0].code));
"""


def test_without_webcrypto_the_law_works_and_signatures_say_what_is_missing() -> None:
    done = node("--input-type=module", "-e", LOADS, (CLIENTS / "levelgen.mjs").as_uri())
    assert (done.stdout.split(), done.stderr) == (["ba7816bf", "system/ed25519"], "")


class Packs:
    """A tiny pack in all its editions, its key, and logs."""

    def __init__(self, folder: Path, ruleset: str) -> None:
        self.folder = folder
        self.ruleset = ruleset
        self.key = folder / "key.pub.pem"
        self.key.write_bytes(public_pem(SIGNER.public))
        self.pack = folder / "tiny"
        write_tiny(self.pack, 5, ruleset, heading={"tools": Allowance(5, (1, 0, 2), (2, 0, 0), True)})
        pack_archive(self.pack)
        client_edition(self.pack, folder / "client")
        self.editions = (self.pack, folder / "tiny.lgpack", folder / "client")

    def log(self, name: str, text: str | bytes) -> Path:
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def same(self, capsys: pytest.CaptureFixture[str], pack: Path, level: int, log: Path, key: Path | None = None,
             more: tuple[str, ...] = ()) -> Any:  # fmt: skip
        """What both print and return, once it is the same."""
        chosen = ("--key", str(key or self.key), *more)
        capsys.readouterr()
        code = run(["replay", f"{pack}#{level}", str(log), "--json", *chosen])
        ours = capsys.readouterr().out
        done = node(CLIENTS / "verify.mjs", pack, str(level), log, *chosen)
        assert (done.stdout, done.returncode) == (ours, code)
        return json.loads(ours)


@pytest.fixture(params=sorted(RULESETS))
def packs(request: pytest.FixtureRequest, tmp_path: Path) -> Packs:
    return Packs(tmp_path, request.param)


def test_verify_mjs_prints_what_replay_prints(packs: Packs, capsys: pytest.CaptureFixture[str]) -> None:
    with open_pack(packs.pack, TRUST) as pack:
        deal = pack.level(2).deal
        win = moves_under(deal.board.ruleset, deal.face_down, pack.certificate(2).solution)
    plays = [win, win[:-1], *(random_play(deal, Stream("verify", str(number)), 30) for number in range(7))]
    seen = set()
    for number, play in enumerate(plays):
        log = packs.log(f"{number}.log", Log("tiny", 2, play).to_text())
        seen.add(packs.same(capsys, packs.editions[number % 3], 2, log)["verdict"])
    assert seen >= {"won", "unfinished", "refused"}


def test_any_log_gets_the_same_json_from_both(packs: Packs, capsys: pytest.CaptureFixture[str]) -> None:
    """Random logs in both forms, with and without a record's digest, whole, torn and spoilt, under random contexts."""
    seen: set[str] = set()
    for number in range(LOGS):
        stream = Stream("verify.mjs", f"{packs.ruleset}/{number}")
        level = stream.between(1, 5)
        with open_pack(packs.pack, TRUST) as pack:
            record = pack.level(level)
        play = random_play(record.deal, stream, stream.between(0, 40))
        named = stream.choice(("", "", record.digest, record.digest, "0" * 64))
        log = Log("tiny", stream.choice((level, level, level, level, 6 - level)), play, named)
        text = log.to_text() if stream.below(2) else json.dumps(log.to_json())
        if stream.below(4) == 0:
            text = text[: stream.below(len(text))]
        if stream.below(8) == 0:
            place = stream.below(max(1, len(text)))
            text = text[:place] + stream.choice(tuple('{}[]",-^=~s:u9 \n\\')) + text[place + 1 :]
        more = ["--recover"] * stream.below(2)
        if stream.below(4) == 0:
            more.append("--race")
        else:
            more += ["--first"] * stream.below(2)
            for aid in AIDS:
                more += [f"--{aid}", str(stream.below(4))] * stream.below(2)
        path = packs.log("any.log", text)
        answer = packs.same(capsys, packs.editions[number % 3], level, path, more=tuple(more))
        refused = answer.get("refused") or {}
        seen |= {answer.get("verdict", ""), refused.get("reason", "")}
        seen |= {finding["code"] for finding in answer.get("findings", ())}
    assert seen >= {"refused", "unfinished", "other-record", "log/other-level", "log/header"}
    assert len(seen) > 8


def test_verify_mjs_takes_what_the_server_knows(packs: Packs, capsys: pytest.CaptureFixture[str]) -> None:
    with open_pack(packs.pack, TRUST) as pack:
        deal = pack.level(5).deal
        win = moves_under(deal.board.ruleset, deal.face_down, pack.certificate(5).solution)
    log = packs.log("log", Log("tiny", 5, (Move("hint"), Move("shuffle", (), "a"), Move("undo"), *win)).to_text())
    known = ("--undo", "1", "--hint", "1", "--shuffle", "1", "--first")
    assert packs.same(capsys, packs.pack, 5, log, more=known)["progress"] is True
    assert packs.same(capsys, packs.pack, 5, log, more=(*known, "--hint", "0"))["refused"]["reason"] == "no-tool"


def test_verify_mjs_knows_races_records_and_saved_logs(packs: Packs, capsys: pytest.CaptureFixture[str]) -> None:
    with open_pack(packs.pack, TRUST) as pack:
        record = pack.level(5)
        win = moves_under(record.ruleset, record.deal.face_down, pack.certificate(5).solution)
    log = packs.log("log", Log("tiny", 5, win, record.digest).to_text())
    assert packs.same(capsys, packs.pack, 5, log, more=("--race",))["verdict"] == "won"
    hints = packs.log("hints", Log("tiny", 5, (Move("undo"), Move("hint"))).to_text())
    assert packs.same(capsys, packs.pack, 5, hints, more=("--race",))["refused"]["reason"] == "nothing-to-undo"
    other = packs.log("other", Log("tiny", 5, win, "0" * 64).to_text())
    answer = packs.same(capsys, packs.pack, 5, other)
    assert (answer["refused"]["reason"], answer["refused"]["step"], answer["retry"]) == ("other-record", 0, False)
    torn = packs.log("torn", Log("tiny", 5, win).to_text() + "12")
    answer = packs.same(capsys, packs.pack, 5, torn, more=("--recover",))
    assert (answer["verdict"], answer["torn"]["code"]) == ("won", "log/torn-line")
    assert packs.same(capsys, packs.pack, 5, log, more=("--recover",))["torn"] is None


def test_verify_mjs_refuses_what_replay_refuses(packs: Packs, capsys: pytest.CaptureFixture[str]) -> None:
    good = packs.log("good.log", Log("tiny", 2, (Move("hint"),)).to_text())
    other = packs.folder / "other.pem"
    other.write_bytes(public_pem(signer("other").public))

    def code(answer: Any) -> str:
        return str(answer["findings"][0]["code"])

    assert code(packs.same(capsys, packs.pack, 2, packs.folder / "missing.log")) == "input/missing"
    assert code(packs.same(capsys, packs.pack, 2, packs.folder)) == "input/directory"
    assert (
        code(packs.same(capsys, packs.pack, 2, packs.log("a", "levelgen-log 1 tiny#2\n0- 'x' \\\n")))
        == "log/unparsable-move"
    )
    assert code(packs.same(capsys, packs.pack, 2, packs.log("b", b"\xff"))) == "log/not-ascii"
    assert code(packs.same(capsys, packs.pack, 1, good)) == "log/other-level"
    assert code(packs.same(capsys, packs.pack, 9, good)) == "pack/no-such-level"
    assert code(packs.same(capsys, packs.folder / "nowhere", 2, good)) == "pack/missing"
    assert code(packs.same(capsys, packs.pack, 2, good, other)) == "signature/not-trusted"
    assert code(packs.same(capsys, good, 2, good)) == "pack/container"
    levels = packs.pack / "levels.jsonl"
    levels.write_bytes(levels.read_bytes().replace(b'"undo":2', b'"undo":3'))
    assert code(packs.same(capsys, packs.pack, 2, good)) == "record/not-a-member"
    levels.rename(packs.folder / "elsewhere")
    assert code(packs.same(capsys, packs.pack, 2, good)) == "pack/file-missing"
    levels.symlink_to(packs.folder / "elsewhere")
    assert code(packs.same(capsys, packs.pack, 2, good)) == "pack/link"


def test_verify_mjs_heals_what_can_be_rebuilt(packs: Packs, capsys: pytest.CaptureFixture[str]) -> None:
    log = packs.log("log", Log("tiny", 3, ()).to_text())
    (packs.pack / "levels.idx").unlink()
    (packs.pack / "tree.bin").write_bytes(b"x")
    assert packs.same(capsys, packs.pack, 3, log)["verdict"] == "unfinished"


def test_verify_mjs_wants_a_public_key(packs: Packs) -> None:
    log = packs.log("log", Log("tiny", 3, ()).to_text())
    done = node(CLIENTS / "verify.mjs", packs.pack, "3", log, "--key", log)
    assert (done.returncode, json.loads(done.stdout)["findings"][0]["code"]) == (2, "key/public")


def test_verify_mjs_says_how_it_is_used() -> None:
    done = node(CLIENTS / "verify.mjs")
    assert (done.returncode, json.loads(done.stdout)["findings"][0]["code"]) == (2, "usage")
    assert "usage: node verify.mjs PACK N LOG" in done.stderr
