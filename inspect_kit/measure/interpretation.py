"""A reading, its unit and its instrument → a measurement with an uncertainty budget, or an observation."""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from typing import Final

from inspect_kit.capture.instruments import DistributionShape, Effect, Instrument, usual_gauges
from inspect_kit.errors import BadInput
from inspect_kit.values import quantity
from inspect_kit.values.measurement import Budget, Component, Measurement, Observation, Reading, StatedPart, combined
from inspect_kit.values.plausible import Plausible, likely_meant

_CONTEXT: Final = Context(prec=quantity.PRECISION)
_DIVISOR: Final = {shape: _CONTEXT.sqrt(Decimal(shape.square)) for shape in DistributionShape}
"""Half-width of a distribution ÷ its standard deviation."""

_FINEST: Final = 20
"""Digits of a display ÷ the least standard uncertainty that can be stated of a value read from it: one digit alone
contributes a √12th, and the mean of thirty readings a twentieth. Less is a slip of the unit."""
OTHER: Final = "other effects"
ROUNDING: Final = "digits left out"
"""Source of what a value is rounded by that was typed with fewer digits than its gauge shows."""
_ROUNDED: Final = Decimal("1.02")
"""How much larger a sum of rounded parts may be than the rounded sum."""


def observation_of(reading: Reading) -> Observation:
    """What was seen; the word is folded to small letters so that `Yes` and `yes` are the same answer."""
    confidence = quantity.parse_number(reading.confidence, where=reading.where) if reading.confidence else None
    if confidence is not None and not 0 <= confidence <= 1:
        raise BadInput("confidence-lies-between-0-1", where=f"{reading.where}.confidence")
    return Observation(reading.characteristic, reading.value.strip().lower(), reading.instance, confidence, (reading,))


def measurement_of(
    reading: Reading,
    default: quantity.Unit | None,
    instrument: Instrument | None,
    *,
    signed: bool = False,
    usual: Plausible | None = None,
) -> Measurement:
    """The value in its base unit. `default` is the unit of a bare number and the dimension that is expected.

    Files, guided entry, the desk and the library all pass here, so this is where an implausible value is refused.
    """
    stated = _stated(reading, default)
    if default is not None and stated.unit.base != default.base:
        raise BadInput(
            "given-in-other-unit",
            where=reading.where,
            characteristic=reading.characteristic,
            unit=stated.unit,
            default=default,
        )
    if reading.from_photo and stated.unit.base == "g":
        raise BadInput("photo-tells-no-mass", where=reading.where, characteristic=reading.characteristic)
    value = stated.in_base
    _possible(reading, value, stated.unit, signed=signed)
    unusual = usual is not None and not usual.holds(value)
    if usual is not None and unusual and not reading.confirmed:
        raise _implausible(reading, stated, usual)
    if instrument is not None:
        _within_range(reading, stated, instrument)
    return Measurement(
        characteristic=reading.characteristic,
        value=value,
        unit=stated.unit.base,
        budget=_budget(reading, stated, instrument),
        instance=reading.instance,
        instruments=(reading.instrument,) if reading.instrument else (),
        readings=(reading,),
        confirmed=unusual,
    )


def _implausible(reading: Reading, stated: quantity.Quantity, usual: Plausible) -> BadInput:
    facts = {
        "characteristic": reading.characteristic,
        "asked": str(stated),
        "usual": str(usual),
        "because": usual.because,
    }
    suffix = "-because" if usual.because else ""
    meant, other_unit = likely_meant(stated, usual) or (None, False)
    if meant is None:
        return BadInput(f"unusual-value{suffix}", where=reading.where, **facts)
    if other_unit:
        there = meant.to(stated.unit.symbol)
        return BadInput(f"slip-of-the-unit{suffix}", where=reading.where, meant=meant, there=there, **facts)
    return BadInput(f"slip-of-the-point{suffix}", where=reading.where, meant=meant, **facts)


def _stated(reading: Reading, default: quantity.Unit | None) -> quantity.Quantity:
    fallback = quantity.unit(reading.unit, where=reading.where) if reading.unit else default
    stated = quantity.parse_quantity(reading.value, fallback, where=reading.where)
    if reading.unit and fallback is not None and stated.unit.symbol != fallback.symbol:
        raise BadInput("value-in-other-unit", where=reading.where, reading=reading.value[:40], fallback=fallback)
    return stated


def _possible(reading: Reading, value: Decimal, stated: quantity.Unit, *, signed: bool) -> None:
    if value < 0 and not signed:
        raise BadInput("cannot-negative", where=reading.where, characteristic=reading.characteristic)
    if stated.base == "count" and value != value.to_integral_value():
        raise BadInput("count-not-whole", where=reading.where, characteristic=reading.characteristic, value=value)


def _within_range(reading: Reading, stated: quantity.Quantity, instrument: Instrument) -> None:
    if instrument.resolution.unit.base != stated.unit.base:
        raise BadInput("does-not-measure", where=reading.where, instrument=instrument.name, unit=stated.unit)
    if not instrument.reads(stated):
        raise BadInput("outside-range", where=reading.where, stated=stated, instrument=instrument.name)


def _budget(reading: Reading, stated: quantity.Quantity, instrument: Instrument | None) -> Budget | None:
    """The uncertainty as stated in the file; else as its parts; else the instrument's; counts are exact."""
    stated_by_file = _stated_budget(reading, stated)
    if stated_by_file is None:
        if instrument is not None:
            return (*instrument_budget(instrument, stated.in_base), *_rounding(reading, stated, instrument))
        return () if stated.unit.base in quantity.EXACT_UNITS else None
    if combined(stated_by_file) == 0 and stated.unit.base not in quantity.EXACT_UNITS:
        raise BadInput("uncertainty-cannot-zero", where=f"{reading.where}: u")
    if instrument is not None:
        refuse_too_fine(stated_by_file, stated, instrument, f"{reading.where}: u")
    return stated_by_file


def _rounding(reading: Reading, stated: quantity.Quantity, instrument: Instrument) -> Budget:
    """Half of the last digit typed, where the gauge shows finer ones; what the gauge itself sent has all of them."""
    typed = _as_typed(reading, stated)
    last = quantity.scaled(Decimal(1).scaleb(int(typed.number.as_tuple().exponent)), typed.unit.factor)
    if reading.time or last <= instrument.resolution.in_base:
        return ()
    with localcontext(_CONTEXT):
        return (Component(ROUNDING, last / 2 / _DIVISOR[DistributionShape.RECTANGULAR]),)


def _as_typed(reading: Reading, stated: quantity.Quantity) -> quantity.Quantity:
    """With the noughts at its end, which a number of JSON has not but the line beside it keeps."""
    try:
        typed = quantity.parse_quantity(reading.raw, stated.unit)
    except BadInput:
        return stated
    return typed if (typed.in_base, typed.unit.base) == (stated.in_base, stated.unit.base) else stated


def refuse_too_fine(budget: Budget, stated: quantity.Quantity, instrument: Instrument | None, where: str) -> None:
    """An uncertainty that no display gives: that of the gauge that is named, or else of the finest that is listed."""
    finest = instrument or finest_for(stated)
    if finest is None or combined(budget) >= finest.resolution.in_base / _FINEST:
        return
    raise BadInput(
        "uncertainty-below-digit" if instrument else "uncertainty-below-any-digit",
        where=where,
        standard=f"{quantity.scaled(combined(budget), 1 / stated.unit.factor).normalize():f}",
        unit=stated.unit,
        gauge=finest.id,
        digit=finest.resolution,
    )


def finest_for(stated: quantity.Quantity) -> Instrument | None:
    """Of the gauges that are shipped as kinds, the one with the finest display that can read such a value."""
    there = [gauge for gauge in usual_gauges() if gauge.reads(stated)]
    return min(there, key=lambda gauge: gauge.resolution.in_base, default=None)


def _stated_budget(reading: Reading, stated: quantity.Quantity) -> Budget | None:
    whole = _part(StatedPart("stated", reading.standard), stated.unit, reading) if reading.standard else None
    if reading.budget:
        parts = tuple(_part(part, stated.unit, reading) for part in reading.budget)
        return parts if whole is None else _completed(parts, whole.standard, reading)
    return None if whole is None else (whole,)


def _completed(parts: Budget, standard: Decimal, reading: Reading) -> Budget:
    """Parts and their sum, both as stated: what no part accounts for is a part of its own."""
    known = combined(parts)
    if known > standard * _ROUNDED:
        raise BadInput("parts-budget-add-up-more", where=f"{reading.where}: budget", standard=reading.standard)
    with localcontext(_CONTEXT):
        rest = (standard**2 - known**2).sqrt() if standard > known else Decimal(0)
    return (*parts, Component(OTHER, rest)) if rest > standard / 10 else parts


def _part(part: StatedPart, of: quantity.Unit, reading: Reading) -> Component:
    size = quantity.parse_number(part.standard, where=f"{reading.where}: u")
    if size < 0:
        raise BadInput("uncertainty-cannot-negative", where=f"{reading.where}: u")
    return Component(part.source, quantity.scaled(size, of.factor), shared=part.shared)


def instrument_budget(instrument: Instrument, value: Decimal) -> Budget:
    """The instrument's effects at this value, and half a digit of its display."""
    with localcontext(_CONTEXT):
        half_digit = instrument.resolution.in_base / 2 / _DIVISOR[DistributionShape.RECTANGULAR]
        effects = (_component(instrument, effect, value) for effect in instrument.effects)
        return (*effects, Component("resolution", half_digit))


def _component(instrument: Instrument, effect: Effect, value: Decimal) -> Component:
    size = effect.size.in_base + effect.relative * abs(value)
    label = f"{instrument.id}: {effect.source}" if effect.shared else ""
    return Component(effect.source, size / effect.coverage / _DIVISOR[effect.shape], effect.dof, label)
