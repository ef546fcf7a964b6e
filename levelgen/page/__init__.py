"""Pages for people: one HTML file with everything in it, which opens from disk and asks nobody for anything.

    html = page("ERAM Tiles", body, styles=[style(__file__, "gallery.css")], scripts=[law(), …], data={…})

The browser is told to refuse whatever is not in the file: the policy in its head allows no address and only the styles
and scripts whose digests it names. `levelgen.page.look` gives the pictures of tiles; `tiles.js` draws boards with them
as previews do; `law` is the one JavaScript of the rules, as a script.
"""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

_CLIENT = Path(__file__).resolve().parent.parent / "clients" / "levelgen.mjs"
_EXPORTED = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
_END_OF_ELEMENT = re.compile(r"</(?:script|style)|<!--", re.IGNORECASE)


def part(beside: str, name: str) -> str:
    """The text of a style, script or body that lies beside the module `beside` (its `__file__`)."""
    return Path(beside).with_name(name).read_text(encoding="utf-8")


def page_style() -> str:
    """What all pages look like: dark for who asks for it, and for whose system is and who does not ask for light."""
    text = part(__file__, "page.css")
    _, found, rest = text.partition(':root[data-theme="dark"]')
    assert found, "page.css says what dark is"
    dark = rest[: rest.index("}") + 1]
    return f'{text}\n@media (prefers-color-scheme: dark) {{\n:root:not([data-theme="light"]){dark}\n}}\n'


def tiles_script() -> str:
    """How pages draw boards."""
    return part(__file__, "tiles.js")


def law() -> str:
    """The rules in JavaScript, `clients/levelgen.mjs`, as a script that defines `law`: the same text but `export`."""
    text = _CLIENT.read_text(encoding="utf-8")
    names = ", ".join(_EXPORTED.findall(text))
    return f"const law = (() => {{\n{_EXPORTED.sub('', text)}\nreturn {{ {names} }};\n}})();\n"


def page(
    title: str, body: str, *, styles: Iterable[str], scripts: Iterable[str], data: Any, connect: str = "'none'"
) -> str:
    """The page. Scripts share one strict scope, in which `DATA` is `data`; of the data nothing stays in the document.

    `connect` is where it may ask for news: nowhere, or `'self'` when it is served.
    """
    style = "\n".join(styles)
    data_line = json.dumps(data, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")
    script = (
        '(() => {\n"use strict";\ndocument.currentScript.remove();\n'
        + f"const DATA = {data_line};\n"
        + "\n".join(scripts)
        + "\n})();"
    )
    for text in (style, script):
        if found := _END_OF_ELEMENT.search(text):
            raise ValueError(f"{found[0]!r} would end the element it stands in")
    policy = (
        f"default-src 'none'; img-src data: blob:; style-src {_source(style)}; script-src {_source(script)}; "
        f"connect-src {connect}; base-uri 'none'; form-action 'none'"
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
        f'<link rel="icon" href="data:,">\n<title>{html.escape(title)}</title>\n<style>{style}</style>\n</head>\n'
        f"<body>\n{body}\n<script>{script}</script>\n</body>\n</html>\n"
    )


def _source(text: str) -> str:
    """How a policy names an inline style or script."""
    return f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'"
