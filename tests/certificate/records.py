"""Records built by hand: a striker, a coin set, a carrom board, a figure and dice, that pass, fail or stay open."""

from __future__ import annotations

from collections.abc import Iterable

from inspect_kit.errors import notice, sentence
from inspect_kit.inspection.record import (  # fmt: skip
    BudgetSource,
    Gauge,
    ItemRef,
    Line,
    Overlaid,
    PhotoRef,
    RawReading,
    Recheck,
    Record,
    SheetRef,
    Subject,
)

CALIPER = Gauge(
    "caliper-150", "Digital caliper, 150 mm", "caliper", "0.01 mm", "Mitutoyo", "A17-0042", "2027-06-30", "cert 1234/26"
)
SHEET = SheetRef(
    "icf-cs", "Laws of Carrom", "ICF", "International Carrom Federation", "undated", "cs", "federation", "", "ab" * 32
)
SUBJECT = Subject(
    "Striker 7", owner="Růžena Řeháčková", event="Prague Open 2026", place="Praha", inspector="Jiří Dvořák",
    issuer="Czech Carrom Association", issuer_address="Zátopkova 100/2, Praha 6", condition="as presented",
)  # fmt: skip
SIDES = ("n", "e", "s", "w")
CORNERS = ("nw", "ne", "se", "sw")
CIRCLES = ("n.w", "n.e", "e.n", "e.s", "s.e", "s.w", "w.s", "w.n")


def line(characteristic: str, value: str | None = None, **changes: object) -> Line:
    """A measured line that conforms, unless changed."""
    defaults: dict[str, object] = {
        "clause": "C", "kind": "max", "force": "must", "verdict": "conforms", "reason": "within", "unit": "mm",
        "printed_unit": "cm", "u": "0.02" if value is not None else None, "value": value, "how": "Caliper across it.",
        "instruments": ("caliper-150",) if value is not None else (),
        "budget": (BudgetSource("calibration", "0.017"), BudgetSource("handling", "0.01", "20")) if value is not None else (),
    }  # fmt: skip
    return Line(characteristic=characteristic, **{**defaults, **changes})  # type: ignore[arg-type]


def seen(characteristic: str, word: str = "yes", **changes: object) -> Line:
    """An observed line."""
    verdicts = {"yes": ("conforms", "observed-yes"), "no": ("fails", "observed-no")}
    verdict, reason = verdicts.get(word, ("undecided", "observed-unclear"))
    observed = {"kind": "visual", "verdict": verdict, "reason": reason, "unit": "", "printed_unit": "", "word": word}
    return line(characteristic, **{**observed, "requires": "It is round.", "how": "Look at it.", **changes})


UNDATED = notice("gauge-undated", gauge="caliper-150")


def record(lines: Iterable[Line], *, verdict: str = "conforms", item: str = "striker", **changes: object) -> Record:
    """A record of an inspection on 16 November 2026."""
    names = {"striker": "Striker", "coin-set": "Coin set", "board": "Carrom board", "figure": "Figure", "dice": "Dice"}
    again = (Recheck("117", "A replacement striker needs its own approval."),)
    made = {
        "sheet": SHEET, "item": ItemRef(item, names[item], again), "subject": SUBJECT, "inspected_on": "2026-11-16",
        "rule": "guarded", "verdict": verdict, "lines": tuple(lines), "instruments": (CALIPER,),
        "readings": (RawReading("striker.diameter", "41.02", unit="mm", instrument="caliper-150", where="s.csv: 2"),),
        "warnings": (sentence(UNDATED),), "notices": (UNDATED.as_data(),), "software": "inspect-kit 0.1.0",
    }  # fmt: skip
    return Record(**{**made, **changes})  # type: ignore[arg-type]


def striker(**changes: object) -> Record:
    """A striker that conforms."""
    lines = (
        line("striker.diameter", "41.02", upper="41.3", note="No minimum is printed.", printed="≤ 4.13 cm"),
        line("striker.mass", "14.82", upper="15", unit="g", printed_unit="g", u="0.008"),
        seen("striker.shape"),
    )
    return record(**{"lines": lines, **changes})  # type: ignore[arg-type]


def failing_striker() -> Record:
    """Too heavy, and its diameter within U of the limit."""
    lines = (
        line(
            "striker.diameter", "41.28", upper="41.3", verdict="undecided", reason="conditional-pass", probability=0.84
        ),
        line("striker.mass", "15.21", upper="15", unit="g", verdict="fails", reason="above-upper"),
        line("striker.fit", None, lower="0", verdict="undecided", reason="not-measured"),
    )
    return record(lines, verdict="fails")


def coins(**changes: object) -> Record:
    """Nineteen coins with three characteristics each; the fifth mass fails where the verdict says so."""
    bounds = {"coin.diameter": ("30.2", "31.8", "mm"), "coin.height": ("7", "9", "mm"), "coin.mass": ("5", "5.5", "g")}
    lines = [
        line(name, f"{(float(lower) + float(upper)) / 2 + coin / 100:.2f}", instance=str(coin), lower=lower,
             upper=upper, unit=unit, clause="B", kind="range")
        for name, (lower, upper, unit) in bounds.items()
        for coin in range(1, 20)
    ]  # fmt: skip
    return record(lines, item="coin-set", **changes)


def failing_coins() -> Record:
    """The fifth coin is too heavy, the sixth is not sure."""
    found = coins(verdict="fails")
    lines = list(found.lines)
    lines[38 + 4] = line("coin.mass", "5.71", instance="5", lower="5", upper="5.5", unit="g", clause="B",
                         verdict="fails", reason="above-upper")  # fmt: skip
    lines[38 + 5] = line("coin.mass", "5.49", instance="6", lower="5", upper="5.5", unit="g", clause="B",
                         verdict="undecided", reason="conditional-pass", probability=0.9)  # fmt: skip
    return record(lines, item="coin-set", verdict="fails")


def board(verdict: str = "conforms") -> Record:
    """A carrom board of more than a hundred lines; one pocket fails where the verdict says so."""
    spread = (
        ("surface.side", SIDES, "737.4", "735", "740"), ("pocket.diameter", CORNERS, "44.6", "43", "46"),
        ("baseline.length", SIDES, "470.2", "467", "473"), ("baseline.lower.thickness", SIDES, "5.8", "5", "6.5"),
        ("frame.height", SIDES, "21.3", "19", "25.4"), ("frame.width", SIDES, "70.1", "63.5", "76"),
        ("arrow.thickness", CORNERS, "1.3", None, "1.5"), ("arrow.length", CORNERS, "260.1", None, "267"),
        ("centre.diameter", ("",), "31.7", "30.2", "33.4"), ("outer.diameter", ("",), "170.4", "167", "173"),
    )  # fmt: skip
    nominal = (
        ("baseline.lower.distance", SIDES, "101.6", "101.5"), ("baseline.spacing", SIDES, "31.9", "31.8"),
        ("basecircle.diameter", CIRCLES, "31.7", "31.8"), ("basecircle.inner", CIRCLES, "25.5", "25.4"),
        ("basecircle.gap", CORNERS, "13.1", "12.7"), ("arrow.tip", CORNERS, "50.2", "50"),
        ("arc.diameter", CORNERS, "63.4", "63.5"),
    )  # fmt: skip
    lines = [
        line(name, value, instance=place, lower=lower, upper=upper, clause="A.1", kind="range")
        for name, places, value, lower, upper in spread
        for place in places
    ]
    lines += [
        line(name, value, instance=place, nominal=middle, clause="A.4", kind="nominal-without-tolerance",
             verdict="reported", reason="no-tolerance-in-text", binding=False)
        for name, places, value, middle in nominal
        for place in places
    ]  # fmt: skip
    lines += [seen(f"board.look{number}", clause="A.9", name=f"Appearance {number}") for number in range(30)]
    if verdict == "fails":
        lines[4] = line("pocket.diameter", "46.9", instance="nw", lower="43", upper="46", clause="A.1",
                        verdict="fails", reason="above-upper")  # fmt: skip
    return record(lines, item="board", verdict=verdict)


def figure() -> Record:
    """A figure under a federation's overlay, left undecided, with a suspect print and a house rule."""
    lines = (
        line("fig.height", "29.96", lower="30", upper="35", clause="VI 1.2", verdict="undecided", kind="range",
             reason="conditional-fail", probability=0.03, because="Our own gauge.", sheet="house"),
        line("fig.area", "400", upper="410", unit="mm2", printed_unit="cm2", clause="VI 2", u="2", suspect=True,
             printed="4.1 cm", note="Printed as a length."),
        line("fig.count", "11", nominal="11", lower="11", upper="11", unit="count", printed_unit="count", u=None,
             budget=()),
        line("fig.free", "12.5", upper="20", u=None, budget=(), verdict="undecided", reason="uncertainty-unknown"),
    )  # fmt: skip
    over = (Overlaid("house", "House rules", "One hall, one rule.", "house"),)
    sheet = SheetRef(
        "dstfb-4.0", "Rules", "DSTFB", "DSTFB", "4.0", "de", "house", "Not the federation's.", "cd" * 32, over
    )
    return record(lines, item="figure", verdict="undecided", sheet=sheet)


def dice() -> Record:
    """Dice under simple acceptance, where nothing is left open."""
    edges = [line("die.edge", "16.01", instance=f"{die}.{edge}", nominal="16", lower="15.9", upper="16.1", dof="6")
             for die in (1, 2) for edge in "abc"]  # fmt: skip
    return record(edges, item="dice", rule="simple")


def with_photo(sha256: str, file: str = "IMG_2041.jpg") -> Record:
    """A striker that was photographed."""
    return striker(photos=(PhotoRef(file, sha256, 400, 300),))


ALL = {
    "striker": striker(), "failing-striker": failing_striker(), "coins": coins(), "failing-coins": failing_coins(),
    "board": board(), "failing-board": board("fails"), "figure": figure(), "dice": dice(),
}  # fmt: skip
