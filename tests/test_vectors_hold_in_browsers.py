"""The JavaScript module gives the same answers in Chromium as in Node: all vectors, and a pack with its logs."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from levelgen.certificate import moves_under
from levelgen.moves import Log
from levelgen.pack.signing import public_pem
from levelgen.pack.write import pack_archive
from levelgen.replay import replay
from levelgen.seed import Stream
from levelgen.vectors import random_play
from levelgen.verify import context_of, open_pack
from tests.browser import fresh_context
from tests.packs import SIGNER, TRUST, write_tiny

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

TESTS = Path(__file__).resolve().parent


class Files(SimpleHTTPRequestHandler):
    extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".mjs": "text/javascript"}  # noqa: RUF012

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Iterator[Page]:
    """A page of a server on this machine that hands out the repository's files."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Files, directory=str(TESTS.parent))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        context = fresh_context(chromium)
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/tests/vectors/index.json")
        yield page
        context.close()
        server.shutdown()
        thread.join()


def test_a_browser_passes_every_vector(page: Page) -> None:
    found = page.evaluate(
        """async () => {
          const { conform } = await import("/tests/vectors/checks.mjs");
          return conform(async (name) => new Uint8Array(await (await fetch(name)).arrayBuffer()));
        }"""
    )
    index = json.loads((TESTS / "vectors" / "index.json").read_bytes())["files"]
    assert found["wrong"] == []
    assert found["counts"] == {name: entry["cases"] for name, entry in index.items()}


def test_a_browser_verifies_a_pack_and_judges_logs(page: Page, tmp_path: Path) -> None:
    write_tiny(tmp_path / "tiny", 5, "triples")
    with open_pack(tmp_path / "tiny", TRUST) as pack:
        record = pack.level(2)
        win = moves_under(record.ruleset, record.deal.face_down, pack.certificate(2).solution)
        line, path = pack.proof(2).line, pack.proof(2).path
        manifest = pack.verified.payload
    plays = [win, *(random_play(record.deal, Stream("browser", str(number)), 40) for number in range(40))]
    found = page.evaluate(
        """async ({ archive, pem, logs, line, path, manifest }) => {
          const law = await import("/levelgen/clients/levelgen.mjs");
          const members = law.archiveMembers(law.bytesOf(new Uint8Array(archive)));
          const pack = await law.openPack(members, law.TrustRoot.fromPem(pem));
          const record = pack.level(2);
          const proof = { level: 2, line: law.toBytes(line), path: path.map(law.fromHex) };
          const alone = law.verifyLevel(proof, law.parseManifest(law.toBytes(manifest)));
          return {
            digests: [pack.digest, record.digest, alone.digest],
            verdicts: logs.map((log) => law.judge(record, law.parseLog(law.toBytes(log)))),
          };
        }""",
        {
            "archive": list(pack_archive(tmp_path / "tiny").read_bytes()),
            "pem": public_pem(SIGNER.public).decode(),
            "logs": [Log("tiny", 2, play, record.digest).to_text() for play in plays],
            "line": line.decode(),
            "path": [node.hex() for node in path],
            "manifest": manifest.decode(),
        },
    )  # fmt: skip
    assert found["digests"] == [pack.digest, record.digest, record.digest]
    assert found["verdicts"] == [replay(record.deal, play, context_of(record)).to_json() for play in plays]
    assert found["verdicts"][0]["verdict"] == "won"
    assert {verdict["verdict"] for verdict in found["verdicts"]} >= {"won", "refused"}


def test_a_spoilt_signature_is_refused_in_a_browser(page: Page, tmp_path: Path) -> None:
    write_tiny(tmp_path / "tiny", 3)
    archive = bytearray(pack_archive(tmp_path / "tiny").read_bytes())
    at = archive.index(b'"sig":"') + 10
    archive[at] = ord("A") if archive[at] != ord("A") else ord("B")
    code = page.evaluate(
        """async ([archive, pem]) => {
          const law = await import("/levelgen/clients/levelgen.mjs");
          try {
            await law.openPack(law.archiveMembers(law.bytesOf(new Uint8Array(archive))), law.TrustRoot.fromPem(pem));
          } catch (error) {
            return error.findings[0].code;
          }
        }""",
        [list(archive), public_pem(SIGNER.public).decode()],
    )
    assert code == "signature/not-trusted"
