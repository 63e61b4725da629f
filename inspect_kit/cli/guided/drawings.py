"""Where to measure, drawn with letters: for terminals, and for those who read with their fingers or ears."""

from __future__ import annotations

from typing import Final

from inspect_kit.inspection.catalogue import WORD

_BOARD: Final = r"""
              n
   nw ( )───────────( ) ne
     │ ╲  o═══════o  ╱ │
     │ o    ╭───╮    o │
   w │ ║    │ o │    ║ │ e
     │ o    ╰───╯    o │
     │ ╱  o═══════o  ╲ │
   sw ( )───────────( ) se
              s
"""
_DISC: Final = r"""
      ╭─────────╮
     ╱           ╲        ┌───────────────┐ ↕
    │ ←─── ⌀ ───→ │        └───────────────┘
     ╲           ╱
      ╰─────────╯
"""
_FIGURE: Final = r"""
         o     ↑
        /|\    │
         |     │
      ───┴───  │
     ╱       ╲ │
    (  ← ⌀ →  )│
     ╲_______╱ ↓
"""
_DIE: Final = r"""
       ╱───────╱│
      ╱       ╱ │
     ┌───────┐  │
     │ ●   ● │  ╱  ↗ b
     │ ●   ● │ ╱   ↑ c
     └───────┘
      ←  a  →
"""
_SCALE: Final = r"""
      ╭───────────╮
      │           │
     ╭┴───────────┴╮
     │    14.82 g  │
     ╰─────────────╯
"""
_EYE: Final = r"""
       .-'''''-.
     (    (●)    )
       '-.....-'
"""
_RULE: Final = r"""
     ├──┬──┬──┬──┬──┬──┬──┤
     0  10 20 30 40 50 60 70 mm
"""
_THINGS: Final = {
    "surface": _BOARD, "frame": _BOARD, "pocket": _BOARD, "baseline": _BOARD, "basecircle": _BOARD, "arrow": _BOARD,
    "arc": _BOARD, "centre": _BOARD, "outer": _BOARD, "net": _BOARD, "coin": _DISC, "striker": _DISC,
    "checker": _DISC, "disc": _DISC, "fig": _FIGURE, "type": _FIGURE, "die": _DIE, "dice": _DIE,
}  # fmt: skip


def drawing_of(characteristic: str, unit: str) -> str:
    """By how it is measured where that tells most, else by the thing."""
    if unit == "g":
        return _SCALE.strip("\n")
    found = _THINGS.get(characteristic.partition(".")[0])
    return (found or (_EYE if unit == WORD else _RULE)).strip("\n")
