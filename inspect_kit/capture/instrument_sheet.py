"""Writing an instrument's sheet: the text that `read_instrument` reads back as the same instrument."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from inspect_kit.capture.daily_checks import checked_id
from inspect_kit.capture.instruments import FORMAT, DistributionShape, Effect, Instrument, read_instrument
from inspect_kit.errors import BadInput, BadSheet


def sheet_text(instrument: Instrument) -> str:
    """The sheet as TOML."""
    return "\n".join((*_head(instrument), *(line for effect in instrument.effects for line in _effect(effect)), ""))


def _head(instrument: Instrument) -> Iterator[str]:
    yield f"format = {FORMAT}"
    for key in ("id", "name", "kind", "maker", "serial"):
        if getattr(instrument, key):
            yield f"{key} = {_text(getattr(instrument, key), key)}"
    yield f'resolution = "{instrument.resolution}"'
    bounds = [(key, bound) for key, bound in (("lower", instrument.lower), ("upper", instrument.upper)) if bound]
    if bounds:
        yield "range = { " + ", ".join(f'{key} = "{bound}"' for key, bound in bounds) + " }"
    if instrument.calibrated_until:
        yield f"calibrated_until = {instrument.calibrated_until.isoformat()}"
    if instrument.calibration:
        yield f"calibration = {_text(instrument.calibration, 'calibration')}"
    if instrument.auxiliary_digit:
        yield "auxiliary_digit = true"


def _effect(effect: Effect) -> Iterator[str]:
    yield ""
    yield "[[uncertainty]]"
    yield f"source = {_text(effect.source, 'source')}"
    if effect.shape is not DistributionShape.NORMAL:
        yield f'half_width = "{effect.size}"'
        yield f'shape = "{effect.shape.value}"'
    elif effect.coverage != 1:
        yield f'expanded = "{effect.size}"'
        yield f"coverage = {effect.coverage:f}"
    else:
        yield f'standard = "{effect.size}"'
    if effect.relative:
        yield f'relative = "{effect.relative:f}"'
    if effect.dof is not None:
        yield f'dof = "{Decimal(effect.dof):f}"'
    if effect.shared:
        yield "shared = true"


def _text(text: str, key: str) -> str:
    """A TOML string; JSON writes the same escapes, apart from signs that nobody types."""
    if not text.isprintable():
        raise BadInput("sign-cannot-printed", where=key)
    return json.dumps(text, ensure_ascii=False)


def checked_sheet(instrument: Instrument) -> str:
    """The sheet's text, read back once: what cannot be read again is refused with every fault."""
    text = sheet_text(instrument)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{checked_id(instrument.id)}.toml"
        path.write_text(text, encoding="utf-8")
        try:
            read_instrument(path)
        except BadSheet as problem:
            named = (replace(fault, where=fault.where.replace(str(path), instrument.id)) for fault in problem.faults)
            raise BadSheet(tuple(named)) from None
    return text
