"""Publishing: planned, refused when the channel has moved, whole or not at all, and a way back."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from levelgen.cli import run
from levelgen.errors import AnswerIsNo, LevelgenError, Malformed, SystemFailed, Untrusted
from levelgen.pack import publish
from levelgen.pack.archive import open_reader
from levelgen.pack.channel import check_folder, pack_path, read_channel, visit_channel
from levelgen.pack.publish import Plan, apply, parse_plan, plan_release, plan_rollback
from levelgen.pack.release import accept_release
from levelgen.pack.signing import PackMark, demo_key
from levelgen.pack.strict import MAX_INTEGER, encode
from levelgen.pack.trust_store import chain_after, propose
from levelgen.verify import open_pack
from tests.channels import LATER, MARK, NOW, document, release, signers
from tests.packs import write_tiny

DAY = 86_400
UNTIL = NOW + 900


class Studio:
    """A folder of trust roots, two versions of a pack, another pack, and a channel."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.roots, self.channel = folder, folder / "roots", folder / "channel"
        propose(self.roots, document(), signers("root"))
        self.one = self.pack("one", 1)
        self.two = self.pack("two", 2)

    def pack(self, name: str, version: int, by: str = "pack", seed: str = "") -> Path:
        write_tiny(
            self.folder / name, 1, seed=seed or name, signers=signers(by), evidence={}, heading={"version": version}
        )
        return self.folder / name

    def plan(self, *packs: Path, first: bool = False, **options: Any) -> Plan:
        trust: Any = {"trust": self.roots} if first else {}
        return plan_release(self.channel, packs, NOW, UNTIL, **trust, **options)

    def publish(self, *packs: Path, by: str = "release", **options: Any) -> int:
        plan = self.plan(*packs, first=not self.channel.exists(), **options)
        return apply(self.channel, plan, signers(by), NOW).release.version

    def back(self, to: int | None = None) -> int:
        plan = plan_rollback(self.channel, NOW, UNTIL, to=to)
        return apply(self.channel, plan, signers("release"), NOW).release.version

    def current(self) -> dict[str, int]:
        """What a client finds, every pack opened through the release."""
        names = self.channel / "1.trust.json"
        accepted = accept_release(
            names.read_bytes(),
            (self.channel / "release.dsse.json").read_bytes(),
            NOW,
            chain=chain_after(self.channel, 1),
        )
        for name, mark in accepted.release.packs.items():
            with open_pack(self.channel / pack_path(name, mark.version), accepted.packs) as pack:
                assert [record.level for record in pack.records()] == [1]
        return {name: mark.version for name, mark in accepted.release.packs.items()}


@pytest.fixture
def studio(tmp_path: Path) -> Studio:
    return Studio(tmp_path)


def codes(work: Callable[[], object], kind: type[LevelgenError]) -> list[str]:
    with pytest.raises(kind) as caught:
        work()
    return [finding.code for finding in caught.value.findings]


def test_packs_are_published_renewed_and_gone_back_from(studio: Studio) -> None:
    assert studio.publish(studio.one) == 1
    assert studio.publish(studio.two) == 2
    assert studio.current() == {"tiny": 2}
    assert studio.publish() == 3
    assert studio.current() == {"tiny": 2}
    assert studio.back() == 4
    assert studio.current() == {"tiny": 1}
    assert studio.back() == 5
    assert studio.current() == {"tiny": 2}, "twice is there and back again, as with `cd -`"


def test_going_back_is_a_new_release_of_older_packs(studio: Studio) -> None:
    studio.publish(studio.one)
    studio.publish(studio.two)
    assert studio.back(1) == 3
    assert studio.current() == {"tiny": 1}
    assert studio.back(2) == 4
    assert studio.current() == {"tiny": 2}
    assert codes(lambda: studio.back(9), Malformed) == ["publish/no-such-release"]


def test_a_plan_is_refused_when_the_channel_has_moved(studio: Studio) -> None:
    early = studio.plan(studio.one, first=True)
    assert studio.publish(studio.one) == 1
    assert codes(lambda: apply(studio.channel, early, signers("release"), NOW), AnswerIsNo) == ["publish/moved"]
    stale = studio.plan(studio.two)
    assert studio.publish() == 2
    assert codes(lambda: apply(studio.channel, stale, signers("release"), NOW), AnswerIsNo) == ["publish/moved"]
    assert studio.current() == {"tiny": 1}


def test_a_plan_is_refused_when_the_trust_root_has_moved(studio: Studio) -> None:
    studio.publish(studio.one)
    stale = studio.plan(studio.two)
    propose(studio.channel, document(2, pack="pack other"), signers("root"))
    assert codes(lambda: apply(studio.channel, stale, signers("release"), NOW), AnswerIsNo) == ["publish/moved"]


def test_a_trust_root_is_published_with_the_release_that_fits_it(studio: Studio) -> None:
    studio.publish(studio.one)
    propose(studio.roots, document(2, release="fresh", revoked="release"), signers("root"))
    plan = studio.plan(first=True)
    assert codes(lambda: apply(studio.channel, plan, signers("release"), NOW), Malformed) == [
        "publish/not-a-release-key"
    ]
    assert apply(studio.channel, plan, signers("fresh"), NOW).trust.version == 2
    assert studio.current() == {"tiny": 1}
    propose(studio.folder / "others", document(pack="pack other"), signers("root"))
    assert codes(lambda: plan_release(studio.channel, (), NOW, UNTIL, trust=studio.folder / "others"), Untrusted) == [
        "publish/other-trust"
    ]


def test_what_cannot_be_released_is_told_in_the_plan(studio: Studio) -> None:
    def refused(*packs: Path, **options: Any) -> list[str]:
        return codes(lambda: studio.plan(*packs, **options), LevelgenError)

    assert refused(studio.one) == ["publish/no-trust"]
    studio.publish(studio.two)
    assert refused(studio.one) == ["publish/older"]
    assert refused(studio.two, studio.two) == ["publish/twice"]
    assert refused(studio.pack("again", 2)) == ["publish/same-version"]
    assert refused(studio.pack("strange", 3, by="stranger")) == ["signature/not-trusted"]
    assert refused(remove=["giant"]) == ["publish/not-released"]
    assert refused(remove=["tiny"]) == ["publish/nothing"]
    assert refused(studio.folder / "nowhere") == ["pack/missing"]
    broken = studio.pack("broken", 3)
    (broken / "levels.jsonl").write_bytes((broken / "levels.jsonl").read_bytes().replace(b"sun", b"fun", 1))
    assert "record/not-a-member" in refused(broken)
    client = studio.pack("client", 3)
    (client / "certificates.jsonl").unlink()
    assert refused(client) == ["publish/client-edition"]
    assert codes(lambda: plan_release(studio.channel, (), LATER, LATER + 1), Untrusted) == ["trust/expired"] * 2


def test_a_version_once_released_is_never_another_pack(studio: Studio) -> None:
    """Also when the release went back meanwhile: clients may still hold the first one."""
    studio.publish(studio.one)
    studio.publish(studio.two)
    studio.back()
    assert codes(lambda: studio.plan(studio.pack("again", 2)), Malformed) == ["publish/same-version"]
    assert studio.publish(studio.two) == 4


def test_what_is_published_has_been_accepted_before(studio: Studio) -> None:
    """The outcome is judged as a client would, before it takes the channel's place."""
    studio.publish(studio.one)
    before = tree(studio.channel)
    plan = studio.plan(studio.two)
    shutil.rmtree(studio.two)
    studio.pack("two", 2, seed="swapped")
    assert codes(lambda: apply(studio.channel, plan, signers("release"), NOW), Untrusted) == ["release/other-pack"]
    plan = studio.plan()
    assert codes(lambda: apply(studio.channel, plan, signers("release"), UNTIL), Untrusted) == ["release/expired"]
    assert codes(lambda: apply(studio.channel, plan, [demo_key()], NOW), Malformed) == ["publish/not-a-release-key"]
    assert codes(lambda: apply(studio.channel, plan, [], NOW), Malformed) == ["key/none"]
    assert tree(studio.channel) == before


def test_a_plan_made_up_for_an_older_version_is_not_published(studio: Studio) -> None:
    studio.publish(studio.one)
    studio.publish(studio.two)
    forged = replace(studio.plan(), version=1)
    assert codes(lambda: apply(studio.channel, forged, signers("release"), NOW), Untrusted) == ["release/rollback"]


def test_a_source_changed_behind_its_manifest_is_not_published(studio: Studio) -> None:
    plan = studio.plan(studio.one, first=True)
    levels = studio.one / "levels.jsonl"
    levels.write_bytes(levels.read_bytes().replace(b"sun", b"fun", 1))
    assert "record/not-a-member" in codes(lambda: apply(studio.channel, plan, signers("release"), NOW), Untrusted)
    assert not studio.channel.exists()


def test_a_revoked_pack_is_not_gone_back_to(studio: Studio) -> None:
    studio.publish(studio.one)
    with open_pack(studio.one, document().signers_of("pack")) as pack:
        bad = pack.digest
    studio.publish(studio.two)
    propose(studio.roots, document(2, digests=[bad]), signers("root"))
    plan = studio.plan(first=True)
    apply(studio.channel, plan, signers("release"), NOW)
    assert codes(lambda: studio.back(1), Untrusted) == ["signature/revoked"]


def test_the_client_edition_of_a_channel_holds_no_solutions(studio: Studio) -> None:
    studio.publish(studio.one, edition="client")
    names = open_reader(studio.channel / pack_path("tiny", 1)).names()
    assert not [name for name in names if name.startswith(("certificates", "evidence"))]
    assert studio.current() == {"tiny": 1}
    studio.publish(studio.one, edition="server")
    assert "certificates.jsonl" in open_reader(studio.channel / pack_path("tiny", 1)).names()


def test_a_folder_of_other_things_is_not_replaced(studio: Studio) -> None:
    studio.channel.mkdir()
    (studio.channel / "thesis.txt").write_text("years of work")
    for work in (lambda: studio.plan(studio.one, first=True), lambda: read_channel(studio.channel)):
        assert codes(work, Malformed) == ["publish/not-a-channel"]
    assert (studio.channel / "thesis.txt").read_text() == "years of work"


def test_other_files_in_a_channel_are_carried_over(studio: Studio) -> None:
    studio.publish(studio.one)
    (studio.channel / "index.html").write_text("hello")
    studio.publish(studio.two)
    assert (studio.channel / "index.html").read_text() == "hello"


def test_a_channel_behind_a_link_stays_behind_it(studio: Studio) -> None:
    studio.publish(studio.one)
    link = studio.folder / "link"
    link.symlink_to(studio.channel, target_is_directory=True)
    apply(link, plan_release(link, (studio.two,), NOW, UNTIL), signers("release"), NOW)
    assert link.is_symlink()
    assert studio.current() == {"tiny": 2}


def test_versions_used_up_by_a_thief_start_again_without_the_thief(studio: Studio) -> None:
    studio.publish(studio.one)
    with open_pack(studio.one, document().signers_of("pack")) as pack:
        marks = {"tiny": PackMark(1, pack.digest)}
    (studio.channel / "release.dsse.json").write_bytes(release(MAX_INTEGER, packs=marks))
    assert codes(lambda: studio.plan(), Malformed) == ["publish/versions-used-up"]
    propose(studio.roots, document(2, release="fresh", revoked="release"), signers("root"))
    hurt = read_channel(studio.channel)
    plan = studio.plan(first=True)
    accepted = apply(studio.channel, plan, signers("fresh"), NOW)
    assert accepted.release.version == 1
    assert hurt is not None
    chain = chain_after(studio.channel, 1)
    again = accept_release(
        (studio.channel / "1.trust.json").read_bytes(),
        (studio.channel / "release.dsse.json").read_bytes(), NOW, chain=chain, seen=hurt.seen,
    )  # fmt: skip
    assert again.release.version == 1


def test_a_release_no_key_of_ours_ever_signed_is_not_built_upon(studio: Studio) -> None:
    studio.publish(studio.one)
    (studio.channel / "release.dsse.json").write_bytes(release(2, by="stranger"))
    assert codes(lambda: studio.plan(), Untrusted) == ["signature/not-trusted"]


def test_a_forged_history_is_never_gone_back_to(studio: Studio) -> None:
    studio.publish(studio.one)
    studio.publish(studio.two)
    (studio.channel / "releases" / "1.dsse.json").write_bytes(release(1, by="stranger", packs={"tiny": MARK}))
    assert codes(lambda: studio.back(1), Malformed) == ["publish/no-such-release"]


BAD_PLANS = {
    "nothing": b"",
    "no object": b"[]",
    "a field less": b'{"v":1}',
    "not canonical": b'{ "v": 1 }',
}


@pytest.mark.parametrize("fault", BAD_PLANS)
def test_what_is_no_plan_is_refused(fault: str) -> None:
    with pytest.raises(Malformed):
        parse_plan(BAD_PLANS[fault])


def test_a_plan_reads_back_and_each_wrong_field_is_refused(studio: Studio) -> None:
    plan = studio.plan(studio.one, first=True)
    assert parse_plan(plan.encode() + b"\n") == plan
    data = json.loads(plan.encode())
    for name, value in (
        ("v", True), ("channel", 1), ("state", "x"), ("trust", None), ("version", 0), ("expires", -1), ("edition", "x"),
        ("packs", []), ("sources", {"other": "x"}), ("sources", {"tiny": 1}), ("sources", None),
    ):  # fmt: skip
        assert codes(lambda d=data | {name: value}: parse_plan(encode(d)), Malformed) == ["plan/field"]  # type: ignore[misc]


# ----------------------------------------------------------------------------------------------- kills and races


def tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def killed_at(step: int, work: Callable[[], object]) -> bool:
    """Do `work` in a child that is killed at its n-th call to the file system; whether it finished before."""
    child = os.fork()
    if not child:
        left = step

        def count(event: str, _: object) -> None:
            nonlocal left
            if event.startswith(("open", "os.", "shutil.", "fcntl.", "ctypes.")) and event != "os.kill":
                left -= 1
                if left < 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(count)
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert ended in (0, -signal.SIGKILL)
    return ended == 0


def test_a_kill_at_any_moment_leaves_the_old_channel_or_the_new_one(
    studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)  # a killed process loses nothing that only the disk lacks
    studio.publish(studio.one)
    propose(studio.roots, document(2, release="fresh", revoked="release"), signers("root"))
    plan = studio.plan(studio.two, first=True)
    start = studio.folder / "start"
    shutil.copytree(studio.channel, start)
    old = tree(start)
    fresh = signers("fresh")
    outcomes: list[str] = []
    step = 0
    while True:
        shutil.rmtree(studio.channel)
        shutil.copytree(start, studio.channel)
        done = killed_at(step, lambda: apply(studio.channel, plan, fresh, NOW))
        found = read_channel(studio.channel)
        assert found is not None
        assert found.release is not None
        if found.release.version == 1:
            assert tree(studio.channel) == old
            outcomes.append("old")
        else:
            assert studio.current() == {"tiny": 2}
            assert found.store.newest.version == 2
            outcomes.append("new")
        if done:
            break
        step += 1
    assert outcomes == sorted(outcomes, reverse=True), "once new, always new"
    assert outcomes.count("old") > 40
    assert outcomes.count("new") > 1
    studio.back(1) if outcomes[-1] == "old" else studio.publish(by="fresh")
    assert not [path for path in studio.folder.iterdir() if "draft" in path.name], (
        "drafts of the killed are cleared away"
    )


def test_of_those_who_publish_at_once_one_wins_and_the_others_are_told(studio: Studio) -> None:
    studio.publish(studio.one)
    plan = studio.plan(studio.two)
    outcomes: list[str] = []

    def race() -> None:
        try:
            apply(studio.channel, plan, signers("release"), NOW)
            outcomes.append("published")
        except (AnswerIsNo, SystemFailed) as error:
            outcomes.append(error.findings[0].code)

    threads = [threading.Thread(target=race) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes.count("published") == 1
    assert set(outcomes) <= {"published", "publish/moved", "publish/locked"}
    assert studio.current() == {"tiny": 2}


def test_a_reader_meets_the_old_channel_or_the_new_one(studio: Studio) -> None:
    studio.publish(studio.one)
    stop = threading.Event()
    failures: list[str] = []
    trusted = (studio.channel / "1.trust.json").read_bytes()

    def read() -> None:
        while not stop.is_set():
            try:
                checked = check_folder(studio.channel, NOW)
                failures.extend(str(finding) for finding in checked.findings)
                visit_channel(studio.channel, trusted, NOW, studio.folder / "state")
            except LevelgenError as error:
                failures.append(str(error))

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(10):
        studio.publish(studio.two)
        studio.back(1)
    stop.set()
    reader.join()
    assert failures == []


def test_somebody_who_moves_the_channel_without_the_lock_is_noticed(
    studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    studio.publish(studio.one)
    plan = studio.plan(studio.two)
    filled = publish._fill

    def slow(*arguments: object) -> None:
        filled(*arguments)  # type: ignore[arg-type]
        (studio.channel / "release.dsse.json").write_bytes(release(5, packs=parse_plan(plan.encode()).packs))

    monkeypatch.setattr(publish, "_fill", slow)
    assert codes(lambda: apply(studio.channel, plan, signers("release"), NOW), AnswerIsNo) == ["publish/moved"]


# ------------------------------------------------------------------------------------------------ the command line


def test_the_whole_way_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("root", "build", "ops", "fresh"):
        assert run(["keys", "new", name, "--unencrypted"]) == 0
    from levelgen.pack.signing import load_private_pem

    builder = load_private_pem(Path("build.pem").read_bytes(), None)
    for version in (1, 2):
        write_tiny(
            Path(f"v{version}"), 1, seed=str(version), signers=[builder], heading={"version": version}, evidence={}
        )
    roles = ["--root", "root.pub.pem", "--pack", "build.pub.pem", "--release", "ops.pub.pem"]
    assert run(["trust", "init", "studio", "--channel", "main", *roles, "--signer", "root.pem"]) == 0
    assert run(["publish", "v1", "--channel", "ch", "--trust", "studio", "--plan"]) == 0
    assert "+ tiny version 1" in capsys.readouterr().out
    assert run(["publish", "--channel", "ch", "--apply", "--signer", "ops.pem"]) == 0
    assert run(["publish", "--channel", "ch", "--apply", "--signer", "ops.pem"]) == 2, "the plan is used up"
    assert run(["publish", "v2", "--channel", "ch", "--plan", "--file", "p.json"]) == 0
    assert run(["publish", "--channel", "ch", "--rollback", "--signer", "ops.pem"]) == 2, "nothing to go back to"
    shutil.copy("p.json", "kept.json")
    assert run(["publish", "--channel", "ch", "--apply", "--file", "p.json", "--signer", "ops.pem"]) == 0
    assert run(["publish", "--channel", "ch", "--apply", "--file", "kept.json", "--signer", "ops.pem"]) == 1
    trusted = ["--trust", "studio/trust.json", "--release", "ch/release.dsse.json", "--seen", "seen.json"]
    assert run(["verify", "v2", *trusted]) == 0
    assert run(["verify", "v1", *trusted]) == 3
    old = shutil.copytree("ch", "old")
    assert run(["publish", "--channel", "ch", "--rollback", "--signer", "ops.pem", "--json"]) == 0
    assert run(["verify", "v1", *trusted]) == 0
    assert run(["verify", "v2", *trusted[:3], f"{old}/release.dsse.json", *trusted[4:]]) == 3
    assert "release/rollback" in capsys.readouterr().err
    assert run(["verify", "v1", *trusted, "--at", "2099-01-01"]) == 3
    assert run(["trust", "revoke", "studio", "--key", "ops.pub.pem", "--signer", "root.pem"]) == 2
    assert run(["trust", "revoke", "studio", "--key", "ops.pub.pem", "--release", "fresh.pub.pem",
                "--signer", "root.pem"]) == 0  # fmt: skip
    assert run(["publish", "--channel", "ch", "--trust", "studio", "--plan", "--json"]) == 0
    assert run(["publish", "--channel", "ch", "--apply", "--signer", "fresh.pem"]) == 0
    for place in ("studio", "ch"):
        assert run(["trust", "check", place]) == 0
        assert run(["trust", "show", place]) == 0
    assert run(["trust", "check", "ch", "--at", "2099-01-01", "--json"]) == 3
    assert (
        run(["verify", "v1", "--trust", "old/trust.json", "--release", "ch/release.dsse.json", "--seen", "seen.json"])
        == 0
    )
    assert run(["verify", "v2", "--trust", "studio/trust.json"]) == 0, "without a release any version counts"


@pytest.mark.parametrize(
    "arguments",
    [
        ["publish", "--channel", "ch"],
        ["publish", "--channel", "ch", "--plan", "--apply"],
        ["publish", "x", "--channel", "ch", "--apply"],
        ["publish", "--channel", "ch", "--apply", "--signer", "x"],
        ["publish", "--channel", "ch", "--plan", "--expires", "yesterday"],
        ["publish", "--channel", "ch", "--plan", "--expires", "2000-01-01"],
        ["publish", "--channel", "ch", "--rollback", "--signer", "x"],
        ["trust", "init", "x", "--channel", "main"],
        ["trust", "init", "x", "--channel", "main", "--threshold", "mirror=1"],
        ["trust", "init", "x", "--channel", "main", "--threshold", "root=²"],
        ["trust", "init", "x", "--channel", "main", "--expires", "root=0d"],
        ["trust", "init", "x", "--channel", "main", "--root", "nowhere.pem"],
        ["trust", "rotate", "nowhere", "--signer", "x"],
        ["trust", "revoke", "nowhere"],
        ["trust", "revoke", "nowhere", "--digest", "x"],
        ["trust", "sign", "nowhere", "--signer", "x"],
        ["trust", "check", "nowhere"],
        ["trust", "show", "nowhere"],
        ["verify", "x", "--release", "y"],
        ["publish", "--channel", "", "--plan"],
        ["publish", "--channel", "/", "--plan"],
        ["publish", "--channel", "ch", "--plan", "--file", "nowhere/plan"],
        ["trust", "check", ""],
        ["verify", "x", "--seen", "y"],
    ],
)
def test_what_makes_no_sense_is_told(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(arguments) == 2
    assert "error:" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_the_current_folder_is_a_folder_like_any_other(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    studio.publish(studio.one)
    monkeypatch.chdir(studio.channel)
    at = ["--at", "2027-01-15"]
    assert run(["trust", "check", ".", *at]) == 0
    assert run(["verify", "packs/tiny/1.lgpack", "--trust", "trust.json", "--release", "release.dsse.json", *at]) == 0
    assert run(["publish", "--channel", ".", "--plan", *at]) == 0


def test_the_demonstration_key_stands_in_no_trust_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from levelgen.pack.signing import DEMO_PUBLIC, public_pem

    monkeypatch.chdir(tmp_path)
    assert run(["keys", "new", "root", "--unencrypted"]) == 0
    Path("demo.pem").write_bytes(public_pem(DEMO_PUBLIC))
    roles = ["--root", "root.pub.pem", "--pack", "demo.pem", "--release", "root.pub.pem"]
    assert run(["trust", "init", "studio", "--channel", "main", *roles, "--signer", "root.pem"]) == 2
    assert "DEMONSTRATION" in capsys.readouterr().err
