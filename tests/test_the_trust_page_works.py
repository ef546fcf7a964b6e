"""docs/trust.md, typed in from top to bottom: every command and the server's lines do what the page says."""

from __future__ import annotations

import re
import runpy
import shlex
from pathlib import Path

import pytest

from levelgen.cli import run
from levelgen.errors import Untrusted
from levelgen.pack.signing import load_private_pem
from levelgen.verify import Pack
from tests.packs import write_tiny
from tests.test_signature_libraries_agree import CASES

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "trust.md").read_text(encoding="utf-8")
WALK = PAGE[PAGE.index("## A channel from nothing") : PAGE.index("## Who signs")]
COMMANDS = re.findall(r"^ {4}levelgen (.+)$", WALK, re.MULTILINE)
WAITS = "trust init"
"""The first of two signatures is not enough: exit code 1."""


@pytest.fixture
def studio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LEVELGEN_KEY_PASSWORD", "secret")
    return tmp_path


def build(version: int, seed: str) -> None:
    """What `levelgen build … --signer build.pem` leaves in out/eram, in little."""
    signer = load_private_pem(Path("build.pem").read_bytes(), b"secret")
    write_tiny(Path("out/eram"), 1, seed=seed, signers=[signer], evidence={}, heading={"version": version})


def test_the_page_can_be_typed_in(studio: Path) -> None:
    assert len(COMMANDS) >= 18
    for command in COMMANDS:
        if command.startswith("publish out/eram"):
            build(1, "one")
        assert run(shlex.split(command)) == (1 if command.startswith(WAITS) else 0), command
    assert Path("seen.json").exists()
    # A newer pack is built and published: what the page's server reads next; the old one is refused from then on.
    build(2, "two")
    assert run(["publish", "out/eram", "--channel", "channel", "--plan"]) == 0
    assert run(["publish", "--channel", "channel", "--apply", "--signer", "ops2.pem"]) == 0
    Path("trusted.json").write_bytes(Path("studio/1.trust.json").read_bytes())
    found = server()
    assert found.manifest.version == 2
    assert found.level(1).seed == "two/1"
    assert run(["publish", "--channel", "channel", "--rollback", "--signer", "ops2.pem"]) == 0
    assert server().manifest.version == 1
    history = Path("channel/releases/5.dsse.json").read_bytes()
    Path("channel/release.dsse.json").write_bytes(history)
    with pytest.raises(Untrusted, match="release/rollback"):
        server()


def server() -> Pack:
    """The page's Python, as it stands there; only the pack of this test has another name."""
    (code,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    Path("server.py").write_text(code.replace("eram", "tiny"))
    pack = runpy.run_path("server.py")["pack"]
    assert isinstance(pack, Pack)
    return pack


def test_the_page_counts_the_signatures_it_speaks_of() -> None:
    assert f"makes {len(CASES)} signatures of {len({case[0] for case in CASES})} classes" in PAGE
