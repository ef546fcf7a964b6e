"""A signature counts when exactly what was signed is verified by a key we trust; other programs agree with ours."""

from __future__ import annotations

import base64
import json
import os
import shutil
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from levelgen.errors import LevelgenError, Malformed, Untrusted
from levelgen.pack import signing
from levelgen.pack.signers import signer_of
from levelgen.pack.signing import (
    DEMO_PUBLIC,
    DEMO_TRUST,
    PAYLOAD_TYPE,
    KeySigner,
    TrustRoot,
    demo_key,
    is_demo_key,
    key_id,
    load_private_pem,
    load_public_pem,
    new_key,
    open_envelope,
    pae,
    private_pem,
    public_key_findings,
    public_pem,
    save_private_key,
    sign,
    verify_signature,
)
from levelgen.pack.strict import encode
from tests.curve import TORSION, P
from tests.curve import L as ORDER
from tests.curve import encode as encode_point
from tests.packs import SIGNER, TRUST, signer, write_tiny

PAYLOAD = b'{"v":1}'
ENVELOPE = sign(PAYLOAD, [SIGNER])


def changed(change: Callable[[dict[str, Any]], Any], envelope: bytes = ENVELOPE) -> bytes:
    """The envelope with something changed, spelt canonically."""
    data = json.loads(envelope)
    change(data)
    return encode(data)


def refused(data: bytes, trust: TrustRoot = TRUST) -> str:
    """The code with which an envelope is refused."""
    with pytest.raises(Untrusted) as caught:
        open_envelope(data, trust)
    return caught.value.findings[0].code


def test_the_payload_comes_out_as_it_went_in() -> None:
    verified = open_envelope(ENVELOPE, TRUST)
    assert (verified.payload, verified.keys) == (PAYLOAD, (SIGNER.public,))
    assert not verified.demonstration


def test_the_signed_bytes_are_those_of_dsse() -> None:
    assert pae("http://example.com/HelloWorld", b"hello world") == (
        b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    )


def test_a_stripped_signature_is_refused() -> None:
    assert refused(changed(lambda e: e.update(signatures=[]))) == "signature/count"


def test_a_swapped_payload_type_is_refused() -> None:
    assert refused(changed(lambda e: e.update(payloadType="application/json"))) == "signature/payload-type"
    other = sign(PAYLOAD, [SIGNER], payload_type="application/vnd.levelgen.release.v1+json")
    assert refused(other) == "signature/payload-type"
    assert refused(changed(lambda e: e.update(payloadType=PAYLOAD_TYPE), other)) == "signature/not-trusted"


def test_an_algorithm_named_in_the_envelope_is_refused() -> None:
    assert refused(changed(lambda e: e["signatures"][0].update(alg="none"))) == "signature/unknown-field"


def test_a_wrong_keyid_does_not_matter() -> None:
    for hint in ("", "0" * 64, key_id(DEMO_PUBLIC), "x" * 1000):
        assert open_envelope(changed(lambda e, h=hint: e["signatures"][0].update(keyid=h)), TRUST).payload == PAYLOAD  # type: ignore[misc]


def test_another_key_is_refused() -> None:
    assert refused(ENVELOPE, TrustRoot.of([signer("other").public])) == "signature/not-trusted"


def test_a_threshold_counts_distinct_keys() -> None:
    other = signer("other")
    both = TrustRoot.of([SIGNER.public, other.public], threshold=2)
    assert refused(ENVELOPE, both) == "signature/not-trusted"
    assert len(open_envelope(sign(PAYLOAD, [SIGNER, other]), both).keys) == 2


def test_a_key_listed_twice_does_not_fake_a_threshold() -> None:
    def twice(envelope: dict[str, Any]) -> None:
        envelope["signatures"] *= 2
        envelope["signatures"][1] = {**envelope["signatures"][1], "keyid": "another"}

    both = TrustRoot.of([SIGNER.public, signer("other").public], threshold=2)
    assert refused(changed(twice), both) == "signature/not-trusted"
    with pytest.raises(Malformed, match="key/threshold"):
        TrustRoot.of([SIGNER.public, SIGNER.public], threshold=2)


def test_a_signature_besides_good_ones_that_is_bad_does_not_matter() -> None:
    envelope = sign(PAYLOAD, [SIGNER, signer("other")])
    assert open_envelope(envelope, TRUST).keys == (SIGNER.public,)


@pytest.mark.parametrize(
    "spelling",
    [
        lambda text: text + "=",
        lambda text: text.rstrip("="),
        lambda text: text[:20] + "\n" + text[20:],
        lambda text: " " + text,
        lambda text: text.replace("+", "-").replace("/", "_") + "-",
        lambda text: text[:-3] + chr(ord(text[-3]) + 1) + "==",
        lambda text: "é" + text[1:],
    ],
)
def test_base64_spelt_otherwise_is_refused(spelling: Callable[[str], str]) -> None:
    def respell(envelope: dict[str, Any]) -> None:
        envelope["signatures"][0]["sig"] = spelling(envelope["signatures"][0]["sig"])

    assert refused(changed(respell)) == "signature/base64"


def test_an_envelope_spelt_otherwise_is_refused() -> None:
    assert refused(json.dumps(json.loads(ENVELOPE)).encode()) == "json/not-canonical"
    assert refused(b"\xef\xbb\xbf" + ENVELOPE) == "json/bom"
    assert refused(ENVELOPE + b"\n") == "json/not-canonical"
    assert refused(ENVELOPE.replace(b'{"payload":', b'{"payload":"","payload":')) == "json/duplicate-key"
    assert refused(b"[" * 100_000) == "json/too-deep"
    assert refused(b" " * (signing.MAX_ENVELOPE + 1)) == "json/too-long"
    assert refused(b"") == "json/syntax"
    assert refused(b"[]") == "signature/not-an-object"
    assert refused(changed(lambda e: e.update(signatures=[e["signatures"][0]] * 17))) == "signature/count"
    assert refused(changed(lambda e: e.update(payload=None))) == "signature/payload"
    assert refused(changed(lambda e: e["signatures"][0].update(sig=1))) == "signature/field"


def test_a_malleable_signature_is_refused() -> None:
    signature = SIGNER.sign(b"message")
    assert verify_signature(SIGNER.public, signature, b"message")
    s = int.from_bytes(signature[32:], "little") + ORDER
    assert not verify_signature(SIGNER.public, signature[:32] + s.to_bytes(32, "little"), b"message")
    assert not verify_signature(SIGNER.public, signature + b"\0", b"message")
    assert not verify_signature(SIGNER.public, signature[:63], b"message")


def low_order_points() -> set[bytes]:
    """Every encoding of a point whose order divides eight, derived from the curve."""
    encodings = {encode_point(point) for point in TORSION}
    return encodings | {bytes([*key[:31], key[31] ^ 0x80]) for key in encodings}


def test_keys_of_low_order_are_refused() -> None:
    keys = low_order_points()
    assert len(keys) >= 8
    for key in keys:
        assert [finding.code for finding in public_key_findings(key)] == ["key/low-order"]
        assert not verify_signature(key, key + bytes(32), b"anything")
        with pytest.raises(Malformed, match="low order"):
            TrustRoot.of([key])


def test_keys_not_canonically_encoded_are_refused() -> None:
    for y in range(P, 1 << 255):
        for sign_bit in (0, 1 << 255):
            key = (y | sign_bit).to_bytes(32, "little")
            assert [finding.code for finding in public_key_findings(key)] == ["key/not-canonical"]
    assert [finding.code for finding in public_key_findings(b"short")] == ["key/length"]


def test_a_point_off_the_curve_verifies_nothing() -> None:
    assert not verify_signature((2).to_bytes(32, "little"), bytes(64), b"")


# RFC 8032, section 7.1: secret key, public key, message, signature.
RFC_8032 = [
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe"
        "24655141438e7a100b",
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302a"
        "eeb00d291612bb0c00",
    ),
]


@pytest.mark.parametrize(("secret", "public", "message", "signature"), RFC_8032)
def test_the_vectors_of_rfc_8032_verify(secret: str, public: str, message: str, signature: str) -> None:
    key = KeySigner(ed25519.Ed25519PrivateKey.from_private_bytes(bytes.fromhex(secret)))
    assert key.public.hex() == public
    assert key.sign(bytes.fromhex(message)).hex() == signature
    assert verify_signature(key.public, bytes.fromhex(signature), bytes.fromhex(message))
    assert not verify_signature(key.public, bytes.fromhex(signature), bytes.fromhex(message) + b"\0")


def test_openssl_verifies_a_manifests_signature(tmp_path: Path) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    write_tiny(tmp_path / "pack", 1)
    envelope = json.loads((tmp_path / "pack" / "manifest.dsse.json").read_bytes())
    (tmp_path / "key.pem").write_bytes(public_pem(SIGNER.public))
    (tmp_path / "sig").write_bytes(base64.b64decode(envelope["signatures"][0]["sig"]))
    message = pae(envelope["payloadType"], base64.b64decode(envelope["payload"]))

    def openssl_accepts(signed: bytes) -> bool:
        (tmp_path / "message").write_bytes(signed)
        command = ["openssl", "pkeyutl", "-verify", "-pubin", "-rawin"]
        files = ["-inkey", "key.pem", "-sigfile", "sig", "-in", "message"]
        return subprocess.run([*command, *files], cwd=tmp_path, capture_output=True, check=False).returncode == 0

    assert openssl_accepts(message)
    assert not openssl_accepts(message + b" ")


def test_pynacl_agrees_on_good_and_bad_signatures() -> None:
    nacl_signing = pytest.importorskip("nacl.signing")
    nacl_errors = pytest.importorskip("nacl.exceptions")

    def nacl_accepts(signature: bytes, message: bytes) -> bool:
        try:
            nacl_signing.VerifyKey(SIGNER.public).verify(message, signature)
        except nacl_errors.BadSignatureError:
            return False
        return True

    signature = SIGNER.sign(b"message")
    for bit in range(512):
        flipped = bytearray(signature)
        flipped[bit // 8] ^= 1 << bit % 8
        assert not verify_signature(SIGNER.public, bytes(flipped), b"message")
        assert not nacl_accepts(bytes(flipped), b"message")
    assert nacl_accepts(signature, b"message")
    assert verify_signature(SIGNER.public, signature, b"message")


def test_securesystemslib_reads_our_envelopes() -> None:
    dsse = pytest.importorskip("securesystemslib.dsse")
    signer_module = pytest.importorskip("securesystemslib.signer")
    envelope = dsse.Envelope.from_dict(json.loads(ENVELOPE) | {"signatures": []})
    assert envelope.pae() == pae(PAYLOAD_TYPE, PAYLOAD)
    key = signer_module.SSlibKey(key_id(SIGNER.public), "ed25519", "ed25519", {"public": SIGNER.public.hex()})
    signature = signer_module.Signature(key.keyid, base64.b64decode(json.loads(ENVELOPE)["signatures"][0]["sig"]).hex())
    key.verify_signature(signature, envelope.pae())


def test_a_fresh_key_signs_and_survives_encrypted(tmp_path: Path) -> None:
    key, path = new_key(), tmp_path / "key.pem"
    save_private_key(path, key, b"secret")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert b"ENCRYPTED" in path.read_bytes()
    assert signer_of(str(path), lambda _: b"secret").public == key.public
    assert os.listdir(tmp_path) == ["key.pem"]
    for wrong in (b"other", None):
        with pytest.raises(Malformed, match="key/private"):
            signer_of(str(path), lambda _, w=wrong: w)  # type: ignore[misc]
    with pytest.raises(Malformed, match="key/exists"):
        save_private_key(path, new_key(), b"secret")
    assert load_private_pem(path.read_bytes(), b"secret").public == key.public


def test_a_public_key_survives_pem() -> None:
    assert load_public_pem(public_pem(SIGNER.public)) == SIGNER.public
    both = public_pem(SIGNER.public) + public_pem(signer("other").public)
    assert TrustRoot.from_pem(both).keys == (SIGNER.public, signer("other").public)


@pytest.mark.parametrize("data", [b"", b"junk", public_pem(SIGNER.public)[:60], private_pem(SIGNER, None)])
def test_what_is_no_public_key_is_refused(data: bytes) -> None:
    with pytest.raises(Malformed, match="key/public"):
        TrustRoot.from_pem(data)


def test_keys_of_another_algorithm_are_refused() -> None:
    other = ec.generate_private_key(ec.SECP256R1())
    public = other.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    with pytest.raises(Malformed, match="key/algorithm"):
        load_public_pem(public)
    for password, encryption in ((None, NoEncryption()), (b"x", BestAvailableEncryption(b"x"))):
        with pytest.raises(Malformed, match="key/algorithm"):
            load_private_pem(other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption), password)


def test_the_demonstration_key_says_what_it_is() -> None:
    key = demo_key()
    assert key.public == DEMO_PUBLIC
    assert is_demo_key(key.public)
    assert not is_demo_key(SIGNER.public)
    assert key_id(key.public).startswith("DEMONSTRATION")
    assert (Path(signing.__file__).parent / "demo_key.pem").read_text().startswith("DEMONSTRATION")
    assert open_envelope(sign(PAYLOAD, [key]), DEMO_TRUST).demonstration


def test_a_release_refuses_the_demonstration_key() -> None:
    with pytest.raises(Untrusted, match="key/demonstration"):
        sign(PAYLOAD, [SIGNER, demo_key()], release=True)
    with pytest.raises(Malformed, match="key/demonstration"):
        TrustRoot.from_pem(public_pem(DEMO_PUBLIC), release=True)
    assert open_envelope(sign(PAYLOAD, [SIGNER], release=True), TRUST).keys == (SIGNER.public,)


def test_nobody_signing_is_refused() -> None:
    with pytest.raises(LevelgenError, match="key/none"):
        sign(PAYLOAD, [])
