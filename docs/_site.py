"""What the site takes from outside `docs/`: the README as its first page, the guides of `specs/`, and the changes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

_ROOT = Path(__file__).resolve().parent.parent
_PAGES = {
    "README.md": "index.md",
    "specs/README.md": "specs/index.md",
    "specs/instruments/README.md": "specs/instruments.md",
    "specs/measured/README.md": "specs/measured.md",
    "CHANGELOG.md": "changes.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
}
"""Files of the repository, and where the site has them."""


def on_files(files: Files, config: Any) -> Files:
    """Add the pages from outside."""
    for source, place in _PAGES.items():
        files.append(File.generated(config, place, content=_relinked((_ROOT / source).read_text(), source, place)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links of `docs/` to the rest of the repository, as the site has it."""
    place: str = page.file.src_uri
    return markdown if place in _PAGES.values() else _relinked(markdown, f"docs/{place}", place)


def _relinked(text: str, source: str, place: str) -> str:
    link = r"\[(?P<text>[^\[\]]*)\]\((?P<target>[^)#:]+)(?P<place>#[^)]*)?\)"
    return re.sub(link, lambda found: _link(found, source, place), text)


def _link(found: re.Match[str], source: str, place: str) -> str:
    target = ((_ROOT / source).parent / found["target"]).resolve()
    name = target.relative_to(_ROOT).as_posix()
    where = _PAGES.get(name, name.removeprefix("docs/") if name.startswith("docs/") else "")
    if not where:
        # Licences, samples and folders are in the repository, not on the site.
        return f"{found['text']} (`{name}`)"
    up = "../" * place.count("/")
    return f"[{found['text']}]({up}{where}{found['place'] or ''})"
