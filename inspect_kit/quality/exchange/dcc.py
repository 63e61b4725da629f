"""XML in the shape of PTB's digital calibration certificate 3.3.0, with D-SI 2.2.1 for the numbers.

A DCC is meant for calibrations; this is an inspection of a lot. It takes over the shape so that programs which read
DCCs find the values, and says so in a statement. Our own record stays the master.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from inspect_kit.judgement.verdict import Verdict
from inspect_kit.quality.exchange.markup import Markup
from inspect_kit.quality.exchange.rows import uncertainty
from inspect_kit.quality.lot.record import LotRecord, MeasuredSeries

_CONFORMITY: Final = {Verdict.CONFORMS: "pass", Verdict.FAILS: "fail", Verdict.UNDECIDED: "noPass"}
_UNITS: Final = {"mm": r"\milli\metre", "g": r"\gram", "deg": r"\degree", "s": r"\second", "lx": r"\lux"}
_NOTICE: Final = (
    "This document has the shape of a digital calibration certificate and is none: it gives the results of the "
    "inspection of a lot. It makes no claim to accreditation."
)
_UNSTATED: Final = "not stated"


def dcc_lines(record: LotRecord) -> Iterator[bytes]:
    """The whole document; its values are lists, so it is short."""
    sheet = Markup()
    with sheet.element(
        "dcc:digitalCalibrationCertificate", xmlns__dcc="https://ptb.de/dcc", xmlns__si="https://ptb.de/si",
        schemaVersion="3.3.0",
    ):  # fmt: skip
        with sheet.element("dcc:administrativeData"):
            _administrative(sheet, record)
        with sheet.element("dcc:measurementResults/dcc:measurementResult"):
            _named(sheet, "Inspection of the lot")
            _equipment(sheet, record)
            _conditions(sheet)
            with sheet.element("dcc:results"):
                for series in record.lot.series:
                    if series.measured and series.numbers:
                        _result(sheet, series)
                    elif not series.measured:
                        _seen(sheet, series)
    yield sheet.taken()


def _named(sheet: Markup, text: str, path: str = "dcc:name") -> None:
    sheet.leaf(f"{path}/dcc:content", text or _UNSTATED, lang="en")


def _administrative(sheet: Markup, record: LotRecord) -> None:
    name, _, release = (record.software or "inspect-kit 0").partition(" ")
    with sheet.element("dcc:dccSoftware/dcc:software"):
        _named(sheet, name)
        # The published rules want a letter before the number.
        sheet.leaf("dcc:release", f"v{release or '0'}")
    with sheet.element("dcc:coreData"):
        sheet.leaf("dcc:countryCodeISO3166_1", "XX")
        sheet.leaf("dcc:usedLangCodeISO639_1", "en")
        sheet.leaf("dcc:mandatoryLangCodeISO639_1", "en")
        sheet.leaf("dcc:uniqueIdentifier", record.digest)
        sheet.leaf("dcc:beginPerformanceDate", record.inspected_on)
        sheet.leaf("dcc:endPerformanceDate", record.inspected_on)
        sheet.leaf("dcc:performanceLocation", "other")
    _items(sheet, record)
    _bodies(sheet, record)
    _statements(sheet, record)


def _items(sheet: Markup, record: LotRecord) -> None:
    with sheet.element("dcc:items/dcc:item"):
        _named(sheet, record.item.name or record.item.id)
        if record.subject.owner:
            _named(sheet, record.subject.owner, "dcc:manufacturer/dcc:name")
        with sheet.element("dcc:identifications/dcc:identification"):
            sheet.leaf("dcc:issuer", "manufacturer")
            sheet.leaf("dcc:value", record.subject.text)


def _bodies(sheet: Markup, record: LotRecord) -> None:
    subject = record.subject
    with sheet.element("dcc:calibrationLaboratory/dcc:contact"):
        _named(sheet, subject.issuer)
        sheet.leaf("dcc:location/dcc:city", subject.place or _UNSTATED)
    with sheet.element("dcc:respPersons/dcc:respPerson"):
        _named(sheet, subject.inspector, "dcc:person/dcc:name")
        sheet.leaf("dcc:mainSigner", "true")
    with sheet.element("dcc:customer"):
        _named(sheet, subject.owner)
        sheet.leaf("dcc:location/dcc:city", _UNSTATED)


def _statements(sheet: Markup, record: LotRecord) -> None:
    plan = record.lot.plan
    how = f"{plan.kind}, n = {plan.sample} of {record.lot.size}"
    how += f", AQL {plan.aql}, Ac = {plan.accept}, Re = {plan.reject}" if plan.accept is not None else ""
    with sheet.element("dcc:statements"):
        _named(sheet, _NOTICE, "dcc:statement/dcc:declaration")
        with sheet.element("dcc:statement"):
            sheet.leaf("dcc:norm", f"{record.sheet.id}: {record.sheet.title}, {record.sheet.edition}")
            _named(sheet, f"Lot decided by sampling plan: {how}; decision rule: {record.rule}", "dcc:declaration")
            sheet.leaf("dcc:conformity", _CONFORMITY[Verdict(record.verdict)])


def _equipment(sheet: Markup, record: LotRecord) -> None:
    with sheet.element("dcc:usedMethods/dcc:usedMethod"):
        _named(sheet, f"Measured by the clauses of {record.sheet.id}")
        sheet.leaf("dcc:norm", record.sheet.title)
    if record.instruments:
        with sheet.element("dcc:measuringEquipments"):
            for gauge in record.instruments:
                with sheet.element("dcc:measuringEquipment"):
                    _named(sheet, gauge.name or gauge.id)
                    with sheet.element("dcc:identifications/dcc:identification"):
                        sheet.leaf("dcc:issuer", "owner")
                        sheet.leaf("dcc:value", gauge.serial or gauge.id)


def _conditions(sheet: Markup) -> None:
    """The published rules ask for conditions; ours are not part of a lot's record, and that is said."""
    with sheet.element("dcc:influenceConditions/dcc:influenceCondition"):
        _named(sheet, "Ambient conditions")
        _named(sheet, _UNSTATED, "dcc:data/dcc:text")


def _result(sheet: Markup, series: MeasuredSeries) -> None:
    places = [place for place, value in enumerate(series.values) if value not in (None, "yes", "no")]
    with sheet.element("dcc:result"):
        _named(sheet, series.characteristic)
        with sheet.element("dcc:data/dcc:quantity"):
            _named(sheet, series.characteristic)
            with sheet.element("si:realListXMLList"):
                sheet.leaf("si:valueXMLList", " ".join(str(series.values[place]) for place in places))
                sheet.leaf("si:unitXMLList", _UNITS.get(series.unit, r"\one"))
                _uncertainties(sheet, series, places)


def _seen(sheet: Markup, series: MeasuredSeries) -> None:
    """What was judged by eye has no quantity: how many pieces conform is told in words."""
    told = f"{series.conform} conform, {series.fail} fail, {series.undecided} undecided"
    with sheet.element("dcc:result"):
        _named(sheet, series.characteristic)
        _named(sheet, told, "dcc:data/dcc:text")


def _uncertainties(sheet: Markup, series: MeasuredSeries, places: list[int]) -> None:
    if any(standard is None for standard in series.u):
        return
    listed = [uncertainty(series, place) or "0" for place in (places if len(series.u) > 1 else places[:1])]
    with sheet.element("si:measurementUncertaintyUnivariateXMLList/si:expandedMUXMLList"):
        sheet.leaf("si:valueExpandedMUXMLList", " ".join(f"{2 * Decimal(standard):f}" for standard in listed))
        sheet.leaf("si:coverageFactorXMLList", "2")
        sheet.leaf("si:coverageProbabilityXMLList", "0.95")
