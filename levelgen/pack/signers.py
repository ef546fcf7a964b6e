"""Who signs, named in one word: a PEM file, an environment variable, or an external command.

    studio.pem  or  file:studio.pem      a private key as PKCS #8 PEM, encrypted or not
    env:STUDIO_KEY                       the same text in an environment variable
    cmd:studio.pub.pem COMMAND ARGS…     a command that signs: a token, a key service

The command gets the bytes to be signed on its standard input and writes the 64-byte Ed25519 signature, raw or in
base64, to its standard output; no shell is involved. Its time and its output are bounded, and its signature is
verified with the public key before it is used.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import os
import shlex
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from levelgen.errors import Malformed, SystemFailed, Untrusted
from levelgen.pack.disk import read_file
from levelgen.pack.signing import Signer, load_private_pem, load_public_pem, verify_signature

COMMAND_SECONDS = 120.0
"""How long a command may take: a person may have to touch a token."""
_MAX_OUTPUT = 4096
_MAX_KEY = 1 << 16

Password = Callable[[str], bytes | None]
"""The password of the encrypted key at a place, None when there is none to be had; asked only if it is needed."""


def signer_of(source: str, password: Password) -> Signer:
    """The signer that `source` names, in one of the forms above.

    Raises:
        Malformed: it names none, or the key cannot be read or opened.
    """
    kind, colon, rest = source.partition(":")
    if not colon or kind not in ("file", "env", "cmd"):
        kind, rest = "file", source
    if not rest.strip():
        raise Malformed.of("key/empty", "is empty", f"signer {source!r}", "name a file, env:VARIABLE or cmd:…")
    if kind == "cmd":
        return _command(rest)
    data, place = (_variable(rest), f"${rest}") if kind == "env" else (read_file(Path(rest), _MAX_KEY, "key"), rest)
    # A key in the clear takes no password, whatever the environment holds for the others.
    return load_private_pem(data, password(place) if b"ENCRYPTED" in data else None, place)


def _variable(name: str) -> bytes:
    text = os.environ.get(name)
    if not text:
        raise Malformed.of("key/missing", "is not set", f"${name}", "put the PEM text of the key there")
    return text.encode(errors="replace")


def _command(text: str) -> CommandSigner:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise Malformed.of("signer/command", f"cannot be split into words: {error}", f"cmd:{text}") from None
    if len(words) < 2:
        raise Malformed.of(
            "signer/command", "names no public key or no command", f"cmd:{text}", "write cmd:PUBLIC.pem COMMAND ARGS…"
        )
    return CommandSigner(load_public_pem(read_file(Path(words[0]), _MAX_KEY, "key"), words[0]), tuple(words[1:]))


@dataclass(frozen=True)
class CommandSigner:
    """Signs by running a command."""

    public: bytes
    """The raw public key its signatures must verify with."""
    command: tuple[str, ...]
    seconds: float = COMMAND_SECONDS

    def sign(self, message: bytes) -> bytes:
        """The 64-byte Ed25519 signature of `message`.

        Raises:
            SystemFailed: the command cannot be run, fails, or takes too long.
            Untrusted: what it writes is no signature of `message` by this key.
        """
        output = self._run(message)
        signature = output if len(output) == 64 else _from_base64(output)
        if signature is None or not verify_signature(self.public, signature, message):
            raise Untrusted.of(
                "signer/signature", "did not write a signature by the key that was named for it", self.command[0],
                "it must write 64 raw bytes or their base64, and sign exactly its standard input",
            )  # fmt: skip
        return signature

    def _run(self, message: bytes) -> bytes:
        with tempfile.TemporaryFile() as source:
            source.write(message)
            source.seek(0)
            try:
                process = subprocess.Popen(
                    self.command, stdin=source, stdout=subprocess.PIPE, start_new_session=True, close_fds=True
                )
            except OSError as error:
                raise self._failed(f"cannot be run: {error.strerror}") from None
            try:
                output = self._read(process)
                code = process.wait(self.seconds)
            except subprocess.TimeoutExpired:
                raise self._failed(f"did not finish within {self.seconds:.0f} s") from None
            finally:
                _end(process)
        if code:
            raise self._failed(f"ended with exit code {code}")
        return output

    def _read(self, process: subprocess.Popen[bytes]) -> bytes:
        assert process.stdout is not None
        found: list[bytes] = []
        reader = threading.Thread(target=_read_into, args=(found, process.stdout), daemon=True)
        reader.start()
        reader.join(self.seconds)
        if reader.is_alive():
            _end(process)
            reader.join(1)
            raise self._failed(f"did not finish within {self.seconds:.0f} s")
        output = found[0] if found else b""
        if len(output) > _MAX_OUTPUT:
            raise self._failed(f"wrote more than {_MAX_OUTPUT} bytes")
        return output

    def _failed(self, message: str) -> SystemFailed:
        error = SystemFailed.of("signer/failed", message, self.command[0], "try the command by itself")
        assert isinstance(error, SystemFailed)
        return error


def _read_into(found: list[bytes], pipe: IO[bytes]) -> None:
    with contextlib.suppress(OSError, ValueError), pipe:
        found.append(pipe.read(_MAX_OUTPUT + 1))


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the command and whatever it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _from_base64(output: bytes) -> bytes | None:
    try:
        found = base64.b64decode(output.strip(), validate=True)
    except (binascii.Error, ValueError):
        return None
    return found if len(found) == 64 else None
