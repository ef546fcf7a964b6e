"""Who may sign what: trust roots follow from each other, what is old, expired, mixed or revoked counts no more."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from levelgen.cli import run
from levelgen.errors import LevelgenError, Malformed, Untrusted
from levelgen.pack.disk import write_file
from levelgen.pack.release import RELEASE_TYPE, Seen, parse_release, parse_seen
from levelgen.pack.signing import DEMO_PUBLIC, PackMark, demo_key, key_id, sign
from levelgen.pack.strict import MAX_INTEGER, encode
from levelgen.pack.trust import (
    MAX_TIME,
    MAX_VERSION,
    TRUST_TYPE,
    TrustDocument,
    follow,
    follow_chain,
    moment,
    open_trust,
    parse_trust,
)
from levelgen.pack.trust_store import NEXT, add_signatures, propose, read_store
from tests.channels import LATER, MARK, NOW, document, keys, release, signed, signers, visit
from tests.packs import signer

FIRST = signed(document())


def codes(work: Callable[[], object], kind: type[LevelgenError] = Untrusted) -> list[str]:
    """The codes with which something is refused."""
    with pytest.raises(kind) as caught:
        work()
    return [finding.code for finding in caught.value.findings]


# --------------------------------------------------------------------------------------------------- one document


def test_a_trust_root_reads_back_as_it_was_written() -> None:
    trust = document(3, root="a b c", root_threshold=2, revoked="x y", digests=["ab" * 32, "01" * 32])
    assert parse_trust(trust.encode()) == trust
    assert open_trust(signed(trust, "a b")) == trust
    assert trust.root_of("root", NOW).threshold == 2
    assert trust.root_of("pack", NOW).keys == keys("pack")


BAD_TRUST: dict[str, tuple[Callable[[Any], object], str]] = {
    "another format": (lambda d: d.update(v=2), "trust/v"),
    "a format that is true": (lambda d: d.update(v=True), "trust/v"),
    "a field more": (lambda d: d.update(more=1), "trust/unknown-field"),
    "a field less": (lambda d: d.pop("revoked"), "trust/missing-field"),
    "no channel": (lambda d: d.update(channel=""), "trust/channel"),
    "a channel with a slash": (lambda d: d.update(channel="../main"), "trust/channel"),
    "version 0": (lambda d: d.update(version=0), "trust/version"),
    "a version without end": (lambda d: d.update(version=MAX_VERSION + 1), "trust/version"),
    "a version as text": (lambda d: d.update(version="1"), "trust/version"),
    "roles as a list": (lambda d: d.update(roles=[]), "trust/not-an-object"),
    "a role more": (lambda d: d["roles"].update(mirror={}), "trust/unknown-field"),
    "a role less": (lambda d: d["roles"].pop("pack"), "trust/missing-field"),
    "a role that is none": (lambda d: d["roles"].update(pack=None), "trust/not-an-object"),
    "no key": (lambda d: d["roles"]["pack"].update(keys=[]), "trust/no-key"),
    "keys as a text": (lambda d: d["roles"]["pack"].update(keys="ab" * 32), "trust/keys"),
    "a short key": (lambda d: d["roles"]["pack"].update(keys=["ab"]), "trust/keys"),
    "a key twice": (lambda d: d["roles"]["pack"].update(keys=d["roles"]["pack"]["keys"] * 2), "trust/keys"),
    "keys out of order": (
        lambda d: d["roles"]["pack"].update(keys=[key.hex() for key in keys("a b")][::-1]),
        "trust/keys",
    ),
    "65 keys": (
        lambda d: d["roles"]["pack"].update(keys=[key.hex() for key in keys(" ".join(map(str, range(65))))]),
        "trust/keys",
    ),
    "a key of low order": (lambda d: d["roles"]["pack"].update(keys=["01" + "00" * 31]), "key/low-order"),
    "a key not canonical": (lambda d: d["roles"]["pack"].update(keys=["ff" * 32]), "key/not-canonical"),
    "the demonstration key": (lambda d: d["roles"]["pack"].update(keys=[DEMO_PUBLIC.hex()]), "key/demonstration"),
    "threshold 0": (lambda d: d["roles"]["root"].update(threshold=0), "trust/threshold"),
    "more than keys": (lambda d: d["roles"]["root"].update(threshold=2), "trust/threshold"),
    "a threshold that is true": (lambda d: d["roles"]["root"].update(threshold=True), "trust/threshold"),
    "expiry as text": (lambda d: d["roles"]["root"].update(expires="never"), "trust/expires"),
    "expiry after the last year": (lambda d: d["roles"]["root"].update(expires=MAX_TIME + 1), "trust/expires"),
    "a revoked key in a role": (lambda d: d["revoked"].update(keys=[keys("pack")[0].hex()]), "trust/revoked-key"),
    "digests twice": (lambda d: d["revoked"].update(digests=["ab" * 32] * 2), "trust/revoked"),
    "digests in capitals": (lambda d: d["revoked"].update(digests=["AB" * 32]), "trust/revoked"),
    "revoked as a list": (lambda d: d.update(revoked=[]), "trust/not-an-object"),
    "another order": (lambda d: d.update(v=d.pop("v")), "trust/field-order"),
}


@pytest.mark.parametrize("fault", BAD_TRUST)
def test_a_trust_root_is_refused_with(fault: str) -> None:
    """Signed by the right key all the same: a signature does not make nonsense sense."""
    change, code = BAD_TRUST[fault]
    data = json.loads(document().encode())
    change(data)
    envelope = sign(encode(data), signers("root"), payload_type=TRUST_TYPE)
    assert codes(lambda: open_trust(envelope)) == [code]
    assert code in codes(lambda: parse_trust(encode(data)), Malformed)


def test_every_fault_of_a_trust_root_is_told_at_once() -> None:
    data = json.loads(document().encode())
    data["version"] = 0
    data["roles"]["root"]["threshold"] = 9
    data["roles"]["pack"]["keys"] = []
    assert codes(lambda: parse_trust(encode(data)), Malformed) == ["trust/version", "trust/threshold", "trust/no-key"]


def test_a_trust_root_its_own_keys_did_not_sign_is_refused() -> None:
    assert codes(lambda: open_trust(signed(document(), "stranger"))) == ["signature/not-trusted"]
    two = document(root="a b", root_threshold=2)
    assert codes(lambda: open_trust(signed(two, "a"))) == ["signature/not-trusted"]
    assert codes(lambda: open_trust(release())) == ["signature/payload-type"]
    assert codes(lambda: open_trust(b" " * (3 << 20))) == ["trust/too-long"]
    for junk in (b"", b"{}", b"[]", b"null", b"\xff", FIRST[:-1], FIRST + b"\n"):
        assert codes(lambda junk=junk: open_trust(junk))  # type: ignore[misc]


# ---------------------------------------------------------------------------------------------------- the chain


def test_the_next_version_is_signed_by_the_old_and_the_new_keys() -> None:
    old, new = document(), document(2, root="new")
    assert follow(old, signed(new, "root new")) == new
    assert codes(lambda: follow(old, signed(new, "new"))) == ["signature/not-trusted"]
    assert codes(lambda: follow(old, signed(new, "root"))) == ["signature/not-trusted"]


def test_thresholds_of_the_old_and_of_the_new_version_are_met_each() -> None:
    old = document(root="a b c", root_threshold=2)
    new = document(2, root="c d e", root_threshold=2)
    assert follow(old, signed(new, "b c d")) == new
    for few in ("a b c", "c d", "a b", "a d e"):
        assert codes(lambda few=few: follow(old, signed(new, few))) == ["signature/not-trusted"]  # type: ignore[misc]


def test_no_version_is_skipped_repeated_or_gone_back_to() -> None:
    old = document(2)
    for version in (1, 2, 4):
        data = signed(document(version))
        assert codes(lambda data=data: follow(old, data)) == ["trust/not-next"]  # type: ignore[misc]


def test_a_trust_root_of_another_channel_does_not_follow() -> None:
    assert codes(lambda: follow(document(), signed(document(2, channel="staging")))) == ["trust/other-channel"]


def test_what_is_revoked_stays_revoked() -> None:
    old = document(1, revoked="thief", digests=["ab" * 32])
    assert follow(old, signed(document(2, revoked="thief spy", digests=["ab" * 32]))).version == 2
    for new in (document(2, digests=["ab" * 32]), document(2, revoked="thief")):
        assert codes(lambda new=new: follow(old, signed(new))) == ["trust/unrevoked"]  # type: ignore[misc]


def test_an_expired_version_still_leads_to_the_newer_one() -> None:
    """A client that slept for years follows the chain; only where it ends must be fresh."""
    chain = [
        signed(document(1, root_expires=1, release_expires=1)),
        signed(document(2, root="b", root_expires=1), "root b"),
        signed(document(3, root="c"), "b c"),
    ]
    assert visit(chain, release()).trust.version == 3
    assert codes(lambda: visit(chain[:2], release())) == ["trust/expired"]


def test_a_chain_with_a_gap_or_out_of_order_is_refused() -> None:
    second, third = signed(document(2)), signed(document(3))
    assert [found.version for found in follow_chain(FIRST, [second, third])] == [1, 2, 3]
    assert codes(lambda: follow_chain(FIRST, [third])) == ["trust/not-next"]
    assert codes(lambda: follow_chain(FIRST, [third, second])) == ["trust/not-next"]
    assert codes(lambda: follow_chain(FIRST, [FIRST])) == ["trust/not-next"]


def test_each_role_expires_by_itself() -> None:
    trust = document(pack_expires=NOW, release_expires=NOW + 1)
    assert codes(lambda: trust.root_of("pack", NOW)) == ["trust/expired"]
    assert trust.root_of("pack", NOW - 1).keys == keys("pack")
    assert trust.root_of("release", NOW).keys == keys("release")
    assert codes(lambda: document(root_expires=NOW).root_of("pack", NOW)) == ["trust/expired"]
    for role in ("root", "pack", "release"):
        changes: dict[str, Any] = {f"{role}_expires": NOW}
        over = signed(document(**changes))
        assert codes(lambda over=over: visit([over], release())) == ["trust/expired"]  # type: ignore[misc]


def test_a_time_out_of_every_calendar_is_only_a_time() -> None:
    assert moment(10**20) == "9999-12-31 23:59:59 UTC"
    assert moment(-5) == "1970-01-01 00:00:00 UTC"
    assert codes(lambda: document().root_of("pack", 10**20)) == ["trust/expired", "trust/expired"]


# ------------------------------------------------------------------------------------------ what a client remembers


def test_a_release_names_the_packs_that_count() -> None:
    accepted = visit([FIRST], release(7, packs={"tiny": PackMark(3, "cd" * 32)}))
    assert accepted.packs.keys == keys("pack")
    assert not list(accepted.packs.pack_findings("tiny", 3, "cd" * 32))
    for other, code in (
        (("tiny", 2, "cd" * 32), "release/other-version"),
        (("tiny", 4, "cd" * 32), "release/other-version"),
        (("tiny", 3, "ce" * 32), "release/other-pack"),
        (("giant", 3, "cd" * 32), "release/not-released"),
    ):
        assert [finding.code for finding in accepted.packs.pack_findings(*other)] == [code]


def test_an_older_release_than_the_one_seen_is_refused() -> None:
    seen = visit([FIRST], release(7))
    assert visit([FIRST], release(7), seen).release.version == 7
    assert visit([FIRST], release(8), seen).release.version == 8
    assert codes(lambda: visit([FIRST], release(6), seen)) == ["release/rollback"]


def test_two_releases_of_one_version_are_refused() -> None:
    seen = visit([FIRST], release(7))
    assert codes(lambda: visit([FIRST], release(7, expires=LATER - 1), seen)) == ["release/other"]


def test_an_older_trust_root_than_the_one_seen_is_refused() -> None:
    second = signed(document(2))
    seen = visit([FIRST, second], release())
    assert codes(lambda: visit([FIRST], release(), seen)) == ["trust/rollback"]
    other = signed(document(2, pack="somebody"))
    assert codes(lambda: visit([FIRST, other], release(), seen)) == ["trust/other"]
    third = signed(document(3))
    assert codes(lambda: visit([FIRST, other, third], release(), seen)) == ["trust/other"]
    assert visit([FIRST, second, third], release(), seen).trust.version == 3


def test_another_channel_than_the_one_seen_is_refused() -> None:
    seen = visit([FIRST], release())
    staging = signed(document(channel="staging"))
    assert codes(lambda: visit([staging], release(channel="staging"), seen)) == ["trust/other-channel"]
    assert codes(lambda: visit([FIRST], release(channel="staging"))) == ["release/other-channel"]


def test_a_release_that_has_expired_is_refused_to_the_second() -> None:
    envelope = release(expires=NOW + 5)
    assert visit([FIRST], envelope, now=NOW + 4).release.version == 1
    for now in (NOW + 5, NOW + 6):
        assert codes(lambda now=now: visit([FIRST], envelope, now=now)) == ["release/expired"]  # type: ignore[misc]


def test_every_role_signs_its_own_only() -> None:
    for wrong in ("root", "pack", "stranger"):
        assert codes(lambda wrong=wrong: visit([FIRST], release(by=wrong))) == ["signature/not-trusted"]  # type: ignore[misc]


def test_after_a_stolen_key_versions_start_again() -> None:
    """Fast-forward: the thief ran the numbers up so that nothing could follow; a new root makes clients forget that."""
    seen = visit([FIRST], release(7))
    hurt = visit([FIRST], release(MAX_INTEGER), seen)
    assert codes(lambda: visit([FIRST], release(8), hurt)) == ["release/rollback"]
    second = signed(document(2, release="fresh", revoked="release"))
    healed = visit([FIRST, second], release(8, "fresh"), hurt)
    assert healed.release.version == 8
    assert codes(lambda: visit([FIRST, second], release(MAX_INTEGER - 1), healed)) == ["signature/not-trusted"]
    assert codes(lambda: visit([FIRST, second], release(7, "fresh"), healed)) == ["release/rollback"]


def test_a_rotation_that_keeps_the_key_forgets_nothing() -> None:
    """Else any change of the role would open the door to older releases that are still signed well."""
    seen = visit([FIRST], release(7))
    second = signed(document(2, release="release fresh"))
    assert codes(lambda: visit([FIRST, second], release(6), seen)) == ["release/rollback"]
    assert codes(lambda: visit([FIRST, second], release(6, "fresh"), seen)) == ["release/rollback"]


def test_a_stripped_cosignature_takes_nothing_from_what_was_seen() -> None:
    two = [signed(document(release="a b"))]
    seen = visit(two, release(7, "a b"))
    again = visit(two, release(7, "a"), seen)
    assert again.seen.release_keys == keys("a b")
    third = signed(document(2, release="b"))
    assert codes(lambda: visit([*two, third], release(6, "b"), again)) == ["release/rollback"]


def test_a_raised_threshold_forgets_what_too_few_have_signed() -> None:
    seen = visit([FIRST], release(MAX_INTEGER))
    second = signed(document(2, release="release fresh", release_threshold=2))
    assert visit([FIRST, second], release(1, "release fresh"), seen).release.version == 1
    assert codes(lambda: visit([FIRST, second], release(MAX_INTEGER), seen)) == ["signature/not-trusted"]


def test_a_revoked_release_is_refused_and_forgotten() -> None:
    forged = release(MAX_INTEGER)
    hurt = visit([FIRST], forged)
    second = signed(document(2, digests=[hurt.seen.release_sha256]))
    assert codes(lambda: visit([FIRST, second], forged)) == ["signature/revoked"]
    assert visit([FIRST, second], release(2), hurt).release.version == 2


def test_a_key_that_was_revoked_signs_nothing_any_more() -> None:
    second = signed(document(2, release="fresh", revoked="release"))
    assert codes(lambda: visit([FIRST, second], release(9))) == ["signature/not-trusted"]


BAD_RELEASES: dict[str, Callable[[Any], object]] = {
    "another format": lambda d: d.update(v=2),
    "a field more": lambda d: d.update(more=1),
    "version 0": lambda d: d.update(version=0),
    "expiry as text": lambda d: d.update(expires="2027"),
    "packs as a list": lambda d: d.update(packs=[]),
    "a pack's name with dots in front": lambda d: d.update(packs={"../tiny": {"version": 1, "sha256": "ab" * 32}}),
    "a pack without a version": lambda d: d["packs"]["tiny"].pop("version"),
    "packs out of order": lambda d: d.update(packs={"b": d["packs"]["tiny"], "a": d["packs"]["tiny"]}),
    "a digest too short": lambda d: d["packs"]["tiny"].update(sha256="ab"),
    "a version that is true": lambda d: d["packs"]["tiny"].update(version=True),
}


@pytest.mark.parametrize("fault", BAD_RELEASES)
def test_a_release_is_refused_with(fault: str) -> None:
    data = {"v": 1, "channel": "main", "version": 1, "expires": LATER, "packs": {"tiny": vars_of(MARK)}}
    assert parse_release(encode(data)).packs == {"tiny": MARK}
    BAD_RELEASES[fault](data)
    envelope = sign(encode(data), signers("release"), payload_type=RELEASE_TYPE)
    assert all(code.startswith("release/") for code in codes(lambda: visit([FIRST], envelope)))


def vars_of(mark: PackMark) -> dict[str, Any]:
    return {"version": mark.version, "sha256": mark.sha256}


def test_what_was_seen_reads_back_or_is_refused() -> None:
    seen = visit([FIRST], release(7)).seen
    assert parse_seen(seen.encode()) == parse_seen(seen.encode() + b"\n") == seen
    data = json.loads(seen.encode())
    changes: list[dict[str, Any]] = [
        {"v": 2},
        {"channel": 1},
        {"trust": {"version": 0, "sha256": "ab" * 32}},
        {"trust": []},
        {"release": {"version": 1, "sha256": "ab" * 32, "keys": []}},
        {"release": {"version": 1, "sha256": "ab" * 32, "keys": ["x"]}},
        {"release": None},
        {"more": 1},
    ]
    for change in changes:
        with pytest.raises(Malformed, match="state/"):
            parse_seen(encode(data | change))
    for junk in (b"", b"{}", b"null", seen.encode()[:-3]):
        with pytest.raises(Malformed):
            parse_seen(junk)


def test_a_first_visit_remembers_who_signed() -> None:
    two = signed(document(release="a b c", release_threshold=2))
    assert visit([two], release(3, "a c")).seen == Seen(
        "main",
        1,
        document(release="a b c", release_threshold=2).digest,
        3,
        visit([two], release(3, "a c")).release.digest,
        keys("a c"),
    )


# -------------------------------------------------------------------------------------------- the folder of roots


def begun(folder: Path, trust: TrustDocument | None = None, by: str = "root") -> Path:
    assert propose(folder, trust or document(), signers(by)).complete
    return folder


def test_the_folder_keeps_every_version(tmp_path: Path) -> None:
    begun(tmp_path)
    assert propose(tmp_path, document(2, root="new"), signers("root new")).complete
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1.trust.json", "2.trust.json", "trust.json"]
    store = read_store(tmp_path)
    assert [found.version for found in store.documents] == [1, 2]
    assert (tmp_path / "trust.json").read_bytes() == store.files[1]


def test_a_version_waits_until_enough_have_signed(tmp_path: Path) -> None:
    begun(tmp_path, document(root="a b c", root_threshold=2), "a b")
    new = document(2, root="d e", root_threshold=2)
    waiting = propose(tmp_path, new, signers("a"))
    assert (waiting.missing_old, waiting.missing_new) == (1, 2)
    assert read_store(tmp_path).newest.version == 1
    assert codes(lambda: propose(tmp_path, new, signers("a")), Malformed) == ["trust/waiting"]
    waiting = add_signatures(tmp_path, signers("a d"))
    assert (waiting.missing_old, waiting.missing_new) == (1, 1)
    assert not add_signatures(tmp_path, signers("c")).complete
    assert add_signatures(tmp_path, signers("e")).complete
    assert read_store(tmp_path).newest == new
    assert not (tmp_path / NEXT).exists()


def test_who_signs_next_sees_who_has_signed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    begun(tmp_path, document(root="a b c", root_threshold=2), "a b")
    new = document(2, root="c d", root_threshold=2)
    waiting = propose(tmp_path, new, signers("a d"))
    assert set(waiting.signed_by) == set(keys("a d"))
    assert run(["trust", "show", str(tmp_path / NEXT)]) == 0
    told = capsys.readouterr().out.splitlines()
    shown = [key_id(signer.public)[:16] for signer in signers("a d")]
    assert f"signed by {' '.join(shown)}" in told
    assert [line for line in told if "must sign" in line] == [
        "1 more of the old root keys must sign", "1 more of the new root keys must sign",
    ]  # fmt: skip
    forged = re.sub(rb'"sig":"(.)', lambda sig: b'"sig":"' + (b"B" if sig[1] == b"A" else b"A"), waiting.envelope)
    (tmp_path / NEXT).write_bytes(forged)
    assert run(["trust", "show", str(tmp_path / NEXT), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["signed_by"], data["missing"]) == ([], {"old": 2, "new": 2})


def test_the_very_first_version_can_wait_too(tmp_path: Path) -> None:
    two = document(root="a b", root_threshold=2)
    assert not propose(tmp_path, two, signers("a")).complete
    assert add_signatures(tmp_path, signers("b")).complete
    assert read_store(tmp_path).newest == two


def test_who_is_no_root_does_not_sign(tmp_path: Path) -> None:
    for who in ("pack", "stranger"):
        refused = codes(lambda who=who: propose(tmp_path, document(), signers(who)), Malformed)  # type: ignore[misc]
        assert refused == ["trust/not-a-root"]
    assert codes(lambda: propose(tmp_path, document(), [demo_key()]), Malformed) == ["trust/not-a-root"]
    assert list(tmp_path.iterdir()) == []


def test_a_version_that_does_not_follow_is_not_even_proposed(tmp_path: Path) -> None:
    begun(tmp_path, document(revoked="thief"))
    for wrong, code in (
        (document(3, revoked="thief"), "trust/not-next"),
        (document(2), "trust/unrevoked"),
        (document(2, channel="staging", revoked="thief"), "trust/other-channel"),
    ):
        assert codes(lambda wrong=wrong: propose(tmp_path, wrong, signers("root")), Malformed) == [code]  # type: ignore[misc]
    assert codes(lambda: propose(tmp_path / "new", document(2), signers("root")), Malformed) == ["trust/not-next"]


def test_what_waits_is_judged_anew_when_it_is_signed(tmp_path: Path) -> None:
    begun(tmp_path, document(root="a b", root_threshold=2), "a b")
    forged = sign(document(3, root="thief").encode(), signers("thief"), payload_type=TRUST_TYPE)
    (tmp_path / NEXT).write_bytes(forged)
    assert codes(lambda: add_signatures(tmp_path, signers("a b"))) == ["trust/not-next"]
    (tmp_path / NEXT).unlink()
    assert codes(lambda: add_signatures(tmp_path, signers("a")), Malformed) == ["trust/missing"]


def test_a_kill_between_the_files_of_a_new_version_is_mended(tmp_path: Path) -> None:
    begun(tmp_path)
    new = signed(document(2))
    write_file(tmp_path / "2.trust.json", new)  # killed here: trust.json is the old one, the proposal still lies there
    write_file(tmp_path / NEXT, new)
    assert read_store(tmp_path).newest.version == 2
    assert codes(lambda: propose(tmp_path, document(9), signers("root")), Malformed) == ["trust/not-next"]
    assert (tmp_path / "trust.json").read_bytes() == new
    assert propose(tmp_path, document(3), signers("root")).complete
    assert read_store(tmp_path).newest.version == 3
    assert not (tmp_path / NEXT).exists()


def test_a_folder_that_was_meddled_with_is_refused(tmp_path: Path) -> None:
    begun(tmp_path)
    propose(tmp_path, document(2), signers("root"))
    propose(tmp_path, document(3), signers("root"))
    good = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for name, data, code in (
        ("trust.json", good["1.trust.json"], "trust/not-newest"),
        ("2.trust.json", good["3.trust.json"], "trust/not-next"),
        ("2.trust.json", signed(document(2), "stranger"), "signature/not-trusted"),
        ("1.trust.json", b"{}", "signature/missing-field"),
    ):
        (tmp_path / name).write_bytes(data)
        assert code in codes(lambda: read_store(tmp_path), Untrusted)
        (tmp_path / name).write_bytes(good[name])
    (tmp_path / "2.trust.json").unlink()
    assert codes(lambda: read_store(tmp_path)) == ["trust/not-newest"]


def test_of_two_who_rotate_at_once_one_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun(tmp_path)
    rival = signed(document(2, pack="rival"))

    class Slow:
        """Signs while somebody else is faster."""

        public = signer("root").public

        def sign(self, message: bytes) -> bytes:
            write_file(tmp_path / "2.trust.json", rival)
            write_file(tmp_path / "trust.json", rival)
            return signer("root").sign(message)

    assert codes(lambda: propose(tmp_path, document(2), [Slow()]), Malformed) == ["trust/exists"]
    assert read_store(tmp_path).newest == document(2, pack="rival")


def test_a_document_changed_in_memory_is_another_one() -> None:
    trust = document()
    assert replace(trust, version=2).digest != trust.digest
