"""What came of checking a whole pack: one `Check` for each link of the chain, together a `Report`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from levelgen.errors import Finding
from levelgen.pack.manifest import Manifest

Status = Literal["ok", "failed", "absent", "not checked"]


@dataclass(frozen=True, slots=True)
class Check:
    """One kind of check and what came of it."""

    name: str
    status: Status
    note: str
    findings: tuple[Finding, ...] = ()


CHECKS = ("signature", "manifest", "files", "tree", "records", "certificates", "previews")


@dataclass(frozen=True)
class Report:
    """Everything `verify_pack` found."""

    source: str
    manifest: Manifest | None
    """None when the signature or the manifest itself fails."""
    digest: str
    """Of the manifest's payload; empty when the signature fails."""
    keys: tuple[str, ...]
    """Names of the trusted keys that signed."""
    demonstration: bool
    """The DEMONSTRATION key is among them: this pack proves nothing to anybody."""
    checks: tuple[Check, ...]
    """One for each of `CHECKS`, in that order."""
    warnings: tuple[Finding, ...]
    """What is wrong and provably does not matter."""

    @property
    def ok(self) -> bool:
        """Whether nothing failed."""
        return all(check.status != "failed" for check in self.checks) and self.manifest is not None

    @property
    def certified(self) -> bool:
        """Whether, besides, every certificate was there and held."""
        return self.ok and self.check("certificates").status == "ok"

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything that failed, in the order of the checks."""
        return tuple(finding for check in self.checks for finding in check.findings)

    def check(self, name: str) -> Check:
        """The check of that name, one of `CHECKS`."""
        return next(check for check in self.checks if check.name == name)

    def to_json(self) -> dict[str, Any]:
        """The report as `verify --json` prints it."""
        return {
            "source": self.source,
            "ok": self.ok,
            "certified": self.certified,
            "pack": self.manifest and self.manifest.pack,
            "version": self.manifest and self.manifest.version,
            "levels": self.manifest and self.manifest.levels,
            "digest": self.digest or None,
            "keys": list(self.keys),
            "demonstration": self.demonstration,
            "checks": [
                {
                    "name": check.name,
                    "status": check.status,
                    "note": check.note,
                    "findings": [finding.to_json() for finding in check.findings],
                }
                for check in self.checks
            ],
            "warnings": [finding.to_json() for finding in self.warnings],
        }

    def to_text(self) -> str:
        """The report for people: one line a check, findings under it."""
        lines = []
        if self.manifest is not None:
            lines.append(f"{self.manifest.pack} version {self.manifest.version}: {self.manifest.title}")
        for entry in self.checks:
            lines.append(f"{entry.name:<13} {entry.status:<12} {entry.note}".rstrip())
            lines += [f"  {finding}" for finding in entry.findings]
        lines += [f"warning: {finding}" for finding in self.warnings]
        if self.demonstration:
            lines.append("warning: signed with the DEMONSTRATION key, which everybody has: it proves nothing")
        return "\n".join(lines) + "\n"
