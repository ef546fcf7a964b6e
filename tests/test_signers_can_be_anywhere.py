"""Who signs: a key in a file or a variable, encrypted or not, or a command, whose signature is verified first."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from pathlib import Path

import pytest

from levelgen.cli import run
from levelgen.errors import LevelgenError, Malformed, SystemFailed, Untrusted
from levelgen.pack.signers import CommandSigner, signer_of
from levelgen.pack.signing import Signer, load_private_pem, open_envelope, private_pem, public_pem, sign
from levelgen.pack.verify import open_pack
from tests.packs import SIGNER, TRUST, signer
from tests.patience import happens, is_running
from tests.project import new_project

asked: list[str] = []


def secret(place: str) -> bytes | None:
    asked.append(place)
    return b"secret"


@pytest.fixture(autouse=True)
def nothing_asked() -> None:
    asked.clear()


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    (tmp_path / "plain.pem").write_bytes(private_pem(SIGNER, None))
    (tmp_path / "locked.pem").write_bytes(private_pem(SIGNER, b"secret"))
    (tmp_path / "pub.pem").write_bytes(public_pem(SIGNER.public))
    return tmp_path


def script(folder: Path, body: str) -> str:
    """`cmd:` with a Python program of these lines; `message` holds what it was given."""
    path = folder / "signer.py"
    head = f"import sys; sys.path.insert(0, {str(Path.cwd())!r})\n"
    path.write_text(head + "message = sys.stdin.buffer.read(); out = sys.stdout.buffer\n" + body)
    return f"cmd:{folder / 'pub.pem'} {sys.executable} {path}"


REAL = "from tests.packs import SIGNER; signature = SIGNER.sign(message)\n"


def refused(made: Signer) -> str:
    with pytest.raises(LevelgenError) as caught:
        sign(b"{}", [made])
    return caught.value.findings[0].code


def test_a_key_in_a_file_is_asked_for_its_password_only_when_it_has_one(keys: Path) -> None:
    for spelling in (f"{keys}/plain.pem", f"file:{keys}/plain.pem"):
        assert signer_of(spelling, secret).public == SIGNER.public
    assert asked == []
    assert signer_of(f"file:{keys}/locked.pem", secret).public == SIGNER.public
    assert asked == [f"{keys}/locked.pem"]
    for wrong in (None, b"other"):
        with pytest.raises(Malformed, match="key/private"):
            signer_of(f"{keys}/locked.pem", lambda _, wrong=wrong: wrong)  # type: ignore[misc]


def test_a_key_comes_from_the_environment(keys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PACK_KEY", (keys / "locked.pem").read_text())
    assert signer_of("env:PACK_KEY", secret).public == SIGNER.public
    assert asked == ["$PACK_KEY"]
    monkeypatch.setenv("PACK_KEY", "no key")
    with pytest.raises(Malformed, match="key/private"):
        signer_of("env:PACK_KEY", secret)
    for name in ("PACK_KEY_2", "A=B", "A B"):
        with pytest.raises(Malformed, match="key/missing"):
            signer_of(f"env:{name}", secret)


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("", "key/empty"),
        ("env:", "key/empty"),
        ("cmd: ", "key/empty"),
        ("file:", "key/empty"),
        ("nowhere.pem", "key/missing"),
        ("/", "key/not-a-file"),
        ("/dev/zero", "key/not-a-file"),
        ("cmd:nowhere.pem sign", "key/missing"),
        ("cmd:/etc/passwd", "signer/command"),
        ("cmd:'", "signer/command"),
        ("\0", "key/missing"),
        ("tests/conftest.py", "key/private"),
        ("cmd:tests/conftest.py true", "key/public"),
    ],
)
def test_who_is_no_signer_is_refused(source: str, code: str) -> None:
    with pytest.raises(Malformed, match=code):
        signer_of(source, secret)


def test_a_pipe_in_the_place_of_a_key_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(Malformed, match="key/not-a-file"):
        signer_of(str(tmp_path / "pipe"), secret)


@pytest.mark.parametrize(
    "writes",
    [
        "out.write(signature)",
        "import base64; out.write(base64.b64encode(signature))",
        "import base64; out.write(base64.b64encode(signature) + b'\\n')",
    ],
)
def test_a_command_writes_its_signature_raw_or_in_base64(keys: Path, writes: str) -> None:
    made = signer_of(script(keys, REAL + writes), secret)
    assert open_envelope(sign(b'{"v":1}', [made]), TRUST).payload == b'{"v":1}'
    assert asked == []


@pytest.mark.parametrize(
    "body",
    [
        "pass",
        "out.write(bytes(64))",
        REAL + "out.write(signature[:-1])",
        REAL + "out.write(signature + b'!')",
        REAL + "out.write(SIGNER.sign(message + b'!'))",
        "from tests.packs import signer; out.write(signer('another').sign(message))",
        REAL + "out.write(b'signature: ' + signature.hex().encode())",
    ],
)
def test_what_is_not_the_signature_asked_for_is_refused(keys: Path, body: str) -> None:
    """A command that signs something else, or with another key, must not end in an envelope."""
    assert refused(signer_of(script(keys, body), secret)) == "signer/signature"


def test_a_command_is_bounded_in_time_and_output_and_what_it_started_ends_with_it(keys: Path) -> None:
    def run_with(body: str, seconds: float) -> str:
        words = script(keys, body).split()
        with pytest.raises(SystemFailed) as caught:
            CommandSigner(SIGNER.public, tuple(words[1:]), seconds).sign(b"x")
        return str(caught.value)

    assert "did not finish" in run_with("import time; time.sleep(3600)", 0.5)
    started = f"import subprocess as s; open({str(keys / 'started')!r}, 'w').write(str(s.Popen(['sleep', '3600']).pid))"
    for seconds in (1, 4, 16, 64):  # a busy machine needs longer until the command has started its own
        assert "did not finish" in run_with(started, seconds)
        if (keys / "started").exists() and (keys / "started").read_text():
            break
    process = int((keys / "started").read_text())
    assert happens(lambda: not is_running(process)), "the signal takes a moment to arrive"
    assert "wrote more" in run_with("out.write(bytes(100_000)); out.flush(); import time; time.sleep(3600)", 300)
    assert "exit code 3" in run_with("sys.exit(3)", 300)
    assert "cannot be run" in str(_failure(CommandSigner(SIGNER.public, ("/nowhere/sign",))))
    assert "cannot be run" in str(_failure(CommandSigner(SIGNER.public, ("/etc/passwd",))))


def _failure(made: CommandSigner) -> SystemFailed:
    with pytest.raises(SystemFailed) as caught:
        made.sign(b"x")
    return caught.value


def test_a_command_that_does_not_read_does_not_block(keys: Path) -> None:
    (keys / "lazy.py").write_text("import sys; sys.stdout.buffer.write(bytes(64))")
    made = CommandSigner(SIGNER.public, (sys.executable, str(keys / "lazy.py")))
    with pytest.raises(Untrusted, match="signer/signature"):
        made.sign(bytes(8 << 20))


def test_no_shell_is_involved(keys: Path) -> None:
    path = keys / "show.sh"
    path.write_text(f'#!/bin/sh\necho "$@" > {keys}/arguments\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    made = signer_of(f"cmd:{keys}/pub.pem {path} ';' '$(id)' '*' 'two words'", secret)
    assert refused(made) == "signer/signature"
    assert (keys / "arguments").read_text() == "; $(id) * two words\n"


def test_openssl_signs_a_pack_as_a_command(keys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    recipe = new_project(keys / "project")
    command = "openssl pkeyutl -sign -rawin -in /dev/stdin -inkey"
    spelt = f"cmd:{keys}/pub.pem {command} {keys}/plain.pem"
    out = keys / "out"
    options = ["--levels", "1", "--prover", "none", "--jobs", "1", "-o", str(out)]
    assert run(["build", str(recipe), *options, "--signer", spelt]) == 0
    assert open_pack(out, TRUST).verified.keys == (SIGNER.public,)
    assert run(["build", str(recipe), *options, "--signer", f"cmd:{keys}/pub.pem false"]) == 6
    assert open_pack(out, TRUST).verified.keys == (SIGNER.public,), "the pack that was there stays"
    (keys / "other.pem").write_bytes(private_pem(signer("other"), b"secret"))
    (keys / "password").write_text("secret\n")
    monkeypatch.setenv("LEVELGEN_KEY_PASSWORD_FILE", str(keys / "password"))
    assert run(["build", str(recipe), *options, "--signer", spelt, "--key", str(keys / "other.pem")]) == 0
    assert len(open_pack(out, TRUST.of([SIGNER.public, signer("other").public], 2)).verified.keys) == 2
    for wrong in ("", str(keys / "nowhere")):
        monkeypatch.setenv("LEVELGEN_KEY_PASSWORD_FILE", wrong)
        assert run(["build", str(recipe), *options, "--key", str(keys / "other.pem")]) == 2


def test_what_is_no_pem_is_not_taken_for_a_wrong_password() -> None:
    with pytest.raises(Malformed, match="is no private key in PEM") as caught:
        load_private_pem(b"garbage", b"secret")
    assert "openssl genpkey" in caught.value.findings[0].fix
