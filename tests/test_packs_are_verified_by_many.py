"""A pack is verified by several processes as by one: the same report, sound or not, and nothing believed on the way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from levelgen.errors import SystemFailed
from levelgen.pack import crew, verify
from levelgen.pack.archive import CERTIFICATES, LEVELS, TREE
from levelgen.pack.verify import verify_pack
from tests.packs import TRUST, write_tiny


@pytest.fixture
def pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Five levels, which three chunks of two make a crowd."""
    monkeypatch.setattr(crew, "WORTH_A_WORKER", 2)
    monkeypatch.setattr(verify, "CHUNK", 2)
    write_tiny(tmp_path / "pack", 5)
    return tmp_path / "pack"


def spoil(name: str, old: bytes, new: bytes) -> Callable[[Path], object]:
    def change(pack: Path) -> None:
        data = (pack / name).read_bytes()
        assert old in data
        (pack / name).write_bytes(data.replace(old, new, 1))

    return change


FAULTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "nothing": (lambda pack: None, ""),
    "a record": (spoil(LEVELS, b'"seed":"s/3"', b'"seed":"x/3"'), "record/not-a-member"),
    "a certificate": (spoil(CERTIFICATES, b'"level":5', b'"level":4'), "certificate/digest"),
    "the tree": (lambda pack: (pack / TREE).unlink(), ""),
    "a picture": (lambda pack: (pack / "previews/0002.png").write_bytes(b"GIF89a"), "preview/png"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_two_processes_report_what_one_does(pack: Path, fault: str) -> None:
    change, code = FAULTS[fault]
    change(pack)
    alone, together = (verify_pack(pack, TRUST, jobs=jobs) for jobs in (1, 2))
    assert alone == together
    assert alone.ok == (not code)
    assert code in {finding.code for finding in alone.findings} | {""}


def test_a_pack_that_is_replaced_meanwhile_is_not_half_believed(pack: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew.Crew, "_start", replaced_before(pack, crew.Crew._start))
    with pytest.raises(SystemFailed, match="system/worker-died"):
        verify_pack(pack, TRUST, jobs=2)


def replaced_before(pack: Path, start: Callable[..., object]) -> Callable[..., object]:
    def later(*arguments: object) -> object:
        write_tiny(pack, 5)
        return start(*arguments)

    return later


def test_a_report_lists_so_many_findings_and_counts_the_rest(pack: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "MAX_FINDINGS", 2)
    data = (pack / CERTIFICATES).read_bytes()
    (pack / CERTIFICATES).write_bytes(data.replace(b'"robust":"yes"', b'"robust":"yet"'))
    found = verify_pack(pack, TRUST).check("certificates").findings
    assert [finding.code for finding in found] == ["certificate/digest", "certificate/digest", "pack/more"]
    assert "3 more" in found[-1].message
