"""The outcome for one clause and one instance, and the verdict over all of them."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from inspect_kit.rulebook.clause import Clause
from inspect_kit.values.measurement import Measurement, Observation, Ruling


class Verdict(StrEnum):
    """What can be said of a clause or of an item."""

    CONFORMS = "conforms"
    FAILS = "fails"
    UNDECIDED = "undecided"
    REPORTED = "reported"
    NOT_APPLICABLE = "not-applicable"


class Reason(StrEnum):
    """Why, as a code that programs can rely on; the words are in `reports/wording/`."""

    WITHIN = "within"
    ABOVE_UPPER = "above-upper"
    BELOW_LOWER = "below-lower"
    CONDITIONAL_PASS = "conditional-pass"
    CONDITIONAL_FAIL = "conditional-fail"
    NOT_MEASURED = "not-measured"
    OBSERVED_YES = "observed-yes"
    OBSERVED_NO = "observed-no"
    OBSERVED_UNCLEAR = "observed-unclear"
    CALIBRATION_EXPIRED = "calibration-expired"
    CHECK_FAILED = "check-failed"
    UNCERTAINTY_UNKNOWN = "uncertainty-unknown"
    NO_TOLERANCE = "no-tolerance-in-text"
    AS_PRINTED = "as-printed"
    PERSON_DECIDES = "person-decides"
    CONDITION_NOT_MET = "condition-not-met"
    CONDITION_UNKNOWN = "condition-unknown"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of a certificate. `missing` counts pieces that were not measured, where only their number is known."""

    clause: Clause
    verdict: Verdict
    reason: Reason
    instance: str = ""
    measurement: Measurement | None = None
    observation: Observation | None = None
    probability: float | None = None
    missing: int = 0
    ruling: Ruling | None = None
    """Who decided, and why, where the text leaves it to a person."""


def overall(verdicts: Iterable[Verdict]) -> Verdict:
    """Any failure fails; else anything undecided leaves it undecided; nothing conforms by silence."""
    seen = frozenset(verdicts)
    for verdict in (Verdict.FAILS, Verdict.UNDECIDED, Verdict.CONFORMS):
        if verdict in seen:
            return verdict
    return Verdict.UNDECIDED
