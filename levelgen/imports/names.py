"""Names for templates out of titles in any script: safe as file names on every system, no two alike."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from hashlib import sha256

MAX_NAME = 40
_SPOKEN_FOR = frozenset(
    ["con", "prn", "aux", "nul", *(f"com{n}" for n in range(10)), *(f"lpt{n}" for n in range(10)),
     "true", "false", "null"]
)  # fmt: skip
"""What Windows will not have as a file's name, whatever follows the dot; and what YAML takes for something else."""


def name_of(title: str) -> str:
    """The name a title suggests: lower-case letters, digits and dashes, beginning with a letter.

    Letters lose their accents; what then is not ASCII is left out. A title of which nothing remains is named after
    its digest, so that the same title always has the same name.
    """
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    if not name:
        return "layout-" + sha256(title.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    if not name[0].isalpha() or name in _SPOKEN_FOR:
        name = f"layout-{name}"
    return name[:MAX_NAME].rstrip("-")


class Names:
    """Names already taken, so that each new one differs from all of them, case aside."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {name.lower() for name in taken}

    def __contains__(self, name: str) -> bool:
        return name.lower() in self._taken

    def new(self, title: str) -> str:
        """The name of `title`, or with the first free number after it; taken from then on."""
        base = name = name_of(title)
        number = 1
        while name in self:
            number += 1
            ending = f"-{number}"
            name = base[: MAX_NAME - len(ending)].rstrip("-") + ending
        self._taken.add(name)
        return name
