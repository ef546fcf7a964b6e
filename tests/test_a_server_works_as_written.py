"""The handler in docs/server.md runs as it stands, and answers players as the page says."""

from __future__ import annotations

import importlib.util
import json
import re
import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from http.server import ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import levelgen.verify
from levelgen.certificate import moves_under
from levelgen.moves import Log, Move
from levelgen.pack.signing import public_pem
from levelgen.tools import Allowance
from levelgen.verify import open_pack
from tests.packs import SIGNER, TRUST, write_tiny
from tests.patience import PATIENCE

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "server.md").read_text(encoding="utf-8")


def handler() -> str:
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    return str(block)


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The page's module, serving on a free port, beside the pack and the key that it names."""
    write_tiny(tmp_path / "out" / "eram", 5, heading={"tools": Allowance(5, (1, 1, 1))})
    (tmp_path / "studio.pub.pem").write_bytes(public_pem(SIGNER.public))
    (tmp_path / "server.py").write_text(handler())
    monkeypatch.chdir(tmp_path)
    spec = importlib.util.spec_from_file_location("server", tmp_path / "server.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.Judge.log_message = lambda *_: None
    with ThreadingHTTPServer(("127.0.0.1", 0), module.Judge) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        module.port = running.server_port  # type: ignore[attr-defined]
        yield module
        running.shutdown()
        thread.join()
    module.PACK.close()


def post(server: ModuleType, body: bytes, **headers: str) -> tuple[int, Any]:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    connection.request("POST", "/", body, headers)
    response = connection.getresponse()
    answer = json.loads(response.read())
    connection.close()
    return response.status, answer


def win(level: int) -> Log:
    with open_pack("out/eram", TRUST) as pack:
        record = pack.level(level)
        moves = moves_under(record.ruleset, record.deal.face_down, pack.certificate(level).solution)
    return Log("tiny", level, moves, record.digest)


def test_the_handler_is_twenty_lines() -> None:
    body = handler().partition("class Judge")[2].partition("\n\nif __name__")[0]
    assert len(body.strip().splitlines()) <= 20


def test_a_first_win_earns_and_a_second_does_not(server: ModuleType) -> None:
    body = win(5).to_text().encode()
    status, first = post(server, body)
    assert (status, first["verdict"], first["progress"], first["earned"]["undo"]) == (200, "won", True, 1)
    assert first["record"] == win(5).record
    _, again = post(server, body)
    assert (again["verdict"], again["progress"], again["earned"]["undo"]) == ("won", False, 0)


def test_the_balance_is_the_players(server: ModuleType) -> None:
    def undos(count: int) -> Any:
        first = win(1).moves[0]
        return post(server, Log("tiny", 1, (first, Move("undo")) * count).to_text().encode())[1]

    assert undos(2)["verdict"] == "unfinished"
    assert undos(3)["refused"]["reason"] == "no-tool"


def test_a_log_of_another_version_is_refused(server: ModuleType) -> None:
    log = win(1)
    _, answer = post(server, Log(log.pack, log.level, log.moves, "0" * 64).to_text().encode())
    assert answer["refused"]["reason"] == "other-record"


@pytest.mark.parametrize(
    ("body", "code"),
    [(b"", "log/header"), (b"{", "log/json"), (b"x" * 2_000_000, "log/too-long"),
     (b"levelgen-log 1 tiny#9\n", "pack/no-such-level"), (b"levelgen-log 1 other#1\n", "log/other-level")],
)  # fmt: skip
def test_what_is_no_log_gets_findings(server: ModuleType, body: bytes, code: str) -> None:
    status, answer = post(server, body)
    assert (status, answer["findings"][0]["code"]) == (400, code)


def test_a_careless_header_does_no_harm(server: ModuleType) -> None:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    connection.putrequest("POST", "/")
    connection.putheader("Content-Length", "-5")
    connection.endheaders()
    assert connection.getresponse().status == 400
    connection.close()


def test_the_page_names_what_there_is() -> None:
    table = PAGE.partition("## The names")[2].partition("## The verdict")[0]
    spelt = re.findall(r"`([A-Za-z_]+)[`.(]", table.replace("levelgen.verify", ""))
    names = {name for name in spelt if name not in ("trust", "release", "lgpack")}
    assert {"open_pack", "judge", "context_of", "recover_log", "daily_level"} <= names
    assert names <= set(levelgen.verify.__all__)
