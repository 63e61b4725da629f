"""Calibration certificates: a DCC and what becomes of it on a gauge's sheet; hostile XML is refused."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from inspect_kit.capture.gauges.calibration import calibrated, read_dcc
from inspect_kit.capture.instruments import Instrument, load_instruments
from inspect_kit.errors import BadInput

LIST = """<si:realListXMLList><si:valueXMLList>{values}</si:valueXMLList><si:unitXMLList>{unit}</si:unitXMLList>{more}</si:realListXMLList>"""
MU = """<si:measurementUncertaintyUnivariateXMLList><si:expandedMUXMLList><si:valueExpandedMUXMLList>{u}</si:valueExpandedMUXMLList>
<si:coverageFactorXMLList>2</si:coverageFactorXMLList><si:coverageProbabilityXMLList>0.95</si:coverageProbabilityXMLList></si:expandedMUXMLList></si:measurementUncertaintyUnivariateXMLList>"""


def quantity(kind: str, values: str, unit: str = r"\gram", u: str = "") -> str:
    listed = LIST.format(values=values, unit=unit, more=MU.format(u=u) if u else "")
    return f'<dcc:quantity refType="{kind}"><dcc:name><dcc:content lang="en">{kind}</dcc:content></dcc:name>{listed}</dcc:quantity>'


ERRORS = quantity("basic_referenceValue", "20 100 200") + quantity(
    "basic_measurementError", "0.00 0.01 -0.02", u="0.005 0.008 0.012"
)


def dcc(content: str = ERRORS, serial: str = "B021002593", version: str = "3.3.0") -> str:
    """A certificate after the published schema."""
    name = "<dcc:name><dcc:content>{}</dcc:content></dcc:name>"
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<dcc:digitalCalibrationCertificate xmlns:dcc="https://ptb.de/dcc" xmlns:si="https://ptb.de/si" schemaVersion="{version}">
<dcc:administrativeData>
<dcc:dccSoftware><dcc:software>{name.format("drawn by hand")}<dcc:release>v1</dcc:release></dcc:software></dcc:dccSoftware>
<dcc:coreData><dcc:countryCodeISO3166_1>DE</dcc:countryCodeISO3166_1><dcc:usedLangCodeISO639_1>en</dcc:usedLangCodeISO639_1>
<dcc:mandatoryLangCodeISO639_1>en</dcc:mandatoryLangCodeISO639_1><dcc:uniqueIdentifier>LAB-2026-0815</dcc:uniqueIdentifier>
<dcc:beginPerformanceDate>2026-10-01</dcc:beginPerformanceDate><dcc:endPerformanceDate>2026-10-02</dcc:endPerformanceDate>
<dcc:performanceLocation>laboratory</dcc:performanceLocation></dcc:coreData>
<dcc:items><dcc:item>{name.format("Scale")}<dcc:manufacturer>{name.format("Acme")}</dcc:manufacturer><dcc:identifications>
<dcc:identification><dcc:issuer>customer</dcc:issuer><dcc:value>desk 3</dcc:value></dcc:identification>
<dcc:identification><dcc:issuer>manufacturer</dcc:issuer><dcc:value>{serial}</dcc:value></dcc:identification>
</dcc:identifications></dcc:item></dcc:items>
<dcc:calibrationLaboratory><dcc:contact>{name.format("Example Laboratory")}<dcc:location><dcc:city>Jena</dcc:city></dcc:location></dcc:contact></dcc:calibrationLaboratory>
<dcc:respPersons><dcc:respPerson><dcc:person>{name.format("A. Person")}</dcc:person><dcc:mainSigner>true</dcc:mainSigner></dcc:respPerson></dcc:respPersons>
<dcc:customer>{name.format("Federation")}<dcc:location><dcc:city>Brno</dcc:city></dcc:location></dcc:customer>
</dcc:administrativeData>
<dcc:measurementResults><dcc:measurementResult>{name.format("Results")}<dcc:results><dcc:result>{name.format("Errors")}<dcc:data>
<dcc:list>{content}</dcc:list></dcc:data></dcc:result></dcc:results></dcc:measurementResult></dcc:measurementResults>
</dcc:digitalCalibrationCertificate>"""


@pytest.fixture
def scale() -> Instrument:
    return load_instruments(["scale-200g"])["scale-200g"]


def kept(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "dcc.xml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_dcc_gives_number_laboratory_day_serial_and_every_point(tmp_path: Path) -> None:
    found = read_dcc(kept(tmp_path, dcc()))
    assert (found.number, found.laboratory, found.performed) == (
        "LAB-2026-0815",
        "Example Laboratory",
        date(2026, 10, 2),
    )
    assert (found.serial, found.maker) == ("B021002593", "Acme")
    points = [(str(p.nominal), str(p.error), str(p.expanded), p.coverage) for p in found.points]
    assert points == [
        ("20 g", "0.00 g", "0.005 g", 2),
        ("100 g", "0.01 g", "0.008 g", 2),
        ("200 g", "-0.02 g", "0.012 g", 2),
    ]


def test_measured_values_beside_references_give_the_errors_too(tmp_path: Path) -> None:
    table = quantity("basic_referenceValue", "0.02 0.1", r"\metre") + quantity(
        "basic_measuredValue", "20.01 100.02", r"\milli\metre", u="0.01"
    )
    found = read_dcc(kept(tmp_path, dcc(table)))
    assert [(p.nominal.in_base, p.error.in_base, str(p.expanded)) for p in found.points] == [
        (Decimal(20), Decimal("0.01"), "0.01 mm"), (Decimal(100), Decimal("0.02"), "0.01 mm"),
    ]  # fmt: skip


def test_values_in_several_units_are_taken_in_a_known_one(tmp_path: Path) -> None:
    def hybrid(kind: str, grams: str, **more: str) -> str:
        plain = quantity(kind, grams, **more)
        start, end = plain.index("<si:"), plain.rindex("</dcc:quantity>")
        other = LIST.format(values=grams, unit=r"\pound", more="")
        return f"{plain[:start]}<si:hybrid>{other}{plain[start:end]}</si:hybrid>{plain[end:]}"

    table = hybrid("basic_referenceValue", "20 100") + hybrid("basic_measurementError", "0.00 0.01", u="0.005 0.008")
    found = read_dcc(kept(tmp_path, dcc(table)))
    assert [(str(p.nominal), str(p.error), str(p.expanded)) for p in found.points] == [
        ("20 g", "0.00 g", "0.005 g"), ("100 g", "0.01 g", "0.008 g"),
    ]  # fmt: skip


def test_the_sheet_takes_the_largest_uncertainty_and_the_largest_error(tmp_path: Path, scale: Instrument) -> None:
    after = calibrated(scale, read_dcc(kept(tmp_path, dcc())), date(2027, 10, 1))
    effects = {effect.source: effect for effect in after.effects}
    assert (str(effects["calibration"].size), effects["calibration"].coverage) == ("0.012 g", 2)
    assert (str(effects["error not corrected"].size), effects["error not corrected"].shape.value) == (
        "0.02 g",
        "rectangular",
    )
    assert (after.calibrated_until, after.calibration) == (
        date(2027, 10, 1),
        "LAB-2026-0815, Example Laboratory, 2026-10-02",
    )
    again = calibrated(after, read_dcc(kept(tmp_path, dcc())), None)
    assert [e.source for e in again.effects].count("calibration") == 1


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("<a/>", "not a digital calibration certificate"), ("no xml", "is not XML"), (dcc(version="2.4.0"), "version 3"),
        (dcc(quantity("", "20 100")), "no points"), (dcc(quantity("basic_referenceValue", "20")), "no points"),
        (dcc(ERRORS.replace("0.01", "NaN")), "no points"), (dcc(ERRORS.replace(r"\gram", r"\bel")), "no points"),
        (dcc().replace("2026-10-02", "tomorrow"), "when it was calibrated"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "document type"),
        ('<?xml version="1.0"?><!doctype a SYSTEM "file:///etc/passwd"><a/>', "document type"),
        ("<a>" * 500 + "</a>" * 500, "not a digital calibration certificate"),
    ],
)  # fmt: skip
def test_what_is_no_usable_certificate_is_refused_in_a_sentence(tmp_path: Path, content: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        read_dcc(kept(tmp_path, content))


def test_a_doctype_in_another_encoding_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "dcc.xml"
    path.write_bytes('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'.encode("utf-16"))
    with pytest.raises(BadInput):
        read_dcc(path)


def test_a_certificate_of_another_serial_number_or_quantity_is_refused(tmp_path: Path, scale: Instrument) -> None:
    from dataclasses import replace

    with pytest.raises(BadInput, match="the certificate is of number"):
        calibrated(replace(scale, serial="other"), read_dcc(kept(tmp_path, dcc())), None)
    lengths = dcc(ERRORS.replace(r"\gram", r"\milli\metre"))
    with pytest.raises(BadInput, match="nothing that is measured in g"):
        calibrated(scale, read_dcc(kept(tmp_path, lengths)), None)
