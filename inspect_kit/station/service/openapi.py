"""The service's interface as an OpenAPI document: what can be asked, with what, and what comes back."""

from typing import Any, Final

from inspect_kit import __version__
from inspect_kit.quality.trend import PERIODS, STRATA
from inspect_kit.rulebook.library import sheet_ids
from inspect_kit.station.service.work import KINDS

PREFIX: Final = "/api/v1"
_VERDICTS: Final = ["conforms", "fails", "undecided", "reported", "not-applicable"]
_TEXT: Final = {"type": "string"}
_NUMBER: Final = {"type": "number"}
_MAYBE: Final = {"type": ["number", "null"]}
_COUNT: Final = {"type": "integer", "minimum": 0}
"""A whole number from 0."""
_PAIR: Final = {"type": ["array", "null"], "items": _NUMBER, "minItems": 2, "maxItems": 2}
"""Two numbers, an interval, or nothing."""
_DAY: Final = {"type": "string", "format": "date"}


def document() -> dict[str, Any]:
    """OpenAPI 3.1."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "inspect-kit service",
            "version": __version__,
            "description": "Post measurements and lots, read verdicts and trends. Lengths are in mm, masses in g.",
        },
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "paths": _paths(),
        "components": {
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": "inspect-kit serve token add NAME"}
            },
            "schemas": _schemas(),
        },
    }


def _paths() -> dict[str, Any]:
    what = [_asked("spec", {**_TEXT, "enum": list(sheet_ids())}, "The sheet.", needed=True),
            _asked("item", _TEXT, "What is inspected, as the sheet calls it.", needed=True),
            _asked("subject", _TEXT, "Which thing or lot it is.", needed=True),
            _asked("owner", _TEXT, "Whose it is, or who made it."), _asked("inspector", _TEXT, "Who inspected it."),
            _asked("rule", {**_TEXT, "enum": ["guarded", "simple"], "default": "guarded"}, "The decision rule."),
            _asked("on", _DAY, "Day of the inspection; today if not given.")]  # fmt: skip
    lot = [_asked("characteristic", {"type": "array", "items": _TEXT}, "Which to take; all that the sheet limits."),
           _asked("lot", _COUNT, "Pieces in the lot; as in the body if not given."),
           _asked("aql", _TEXT, "Decide by a sample: the acceptable quality level."), _asked("level", _TEXT, "Level."),
           _asked("severity", {**_TEXT, "enum": ["normal", "tightened", "reduced"]}, "Severity."),
           _asked("u", _TEXT, "Standard uncertainty of readings that state none, such as 0.01mm."),
           _asked("instrument", _TEXT, "Instrument of readings that name none.")]  # fmt: skip
    trend = [_asked("characteristic", _TEXT, "Of what; all if not given."),
             _asked("period", {**_TEXT, "enum": list(PERIODS), "default": "month"}, "What is put together."),
             _asked("by", {**_TEXT, "enum": list(STRATA)}, "Told apart by this."), _asked("since", _DAY, "First day."),
             _asked("until", _DAY, "Last day."), _asked("spec", _TEXT, "Sheet."),
             _asked("item", _TEXT, "Item.")]  # fmt: skip
    listed = [_asked("subject", _TEXT, "How its name begins."), _asked("spec", _TEXT, "Sheet."),
              _asked("verdict", {**_TEXT, "enum": _VERDICTS}, "Verdict."),
              _asked("limit", _COUNT, "At most so many.")]  # fmt: skip
    number = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}, "description": "Its entry."}
    return {
        f"{PREFIX}/measurements": {"post": _posted("Judge one thing and enter it in the registry.", what, "Judged")},
        f"{PREFIX}/lots": {"post": _posted("Judge a lot and enter it in the registry.", [*what, *lot], "JudgedLot")},
        f"{PREFIX}/verdicts": {"get": _read("Inspections, the newest first.", listed, _array("Verdict"))},
        f"{PREFIX}/verdicts/{{id}}": {"get": _read("One inspection with its record.", [number], _ref("Inspection"))},
        f"{PREFIX}/trends": {"get": _read("Means, Cpk with limits and faults over time.", trend, _ref("Trends"))},
        f"{PREFIX}/openapi.json": {
            "get": {"summary": "This document.", "security": [],
                    "responses": {"200": {"description": "OpenAPI 3.1.", "content": {"application/json": {}}}}}
        },
    }  # fmt: skip


def _asked(name: str, schema: object, text: str, *, needed: bool = False) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": needed, "schema": schema, "description": text}


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _array(name: str) -> dict[str, Any]:
    return {"type": "array", "items": _ref(name)}


def _posted(summary: str, parameters: list[dict[str, Any]], name: str) -> dict[str, Any]:
    body = {kind: {"schema": {"type": "object"} if kind == "application/json" else _TEXT} for kind in KINDS}
    return {
        "summary": summary, "parameters": parameters,
        "requestBody": {"required": True, "content": body,
                        "description": "A measurement file (JSON or CSV), or what batch wrote, as in docs/quality.md."},
        "responses": {"201": _answer("Judged and entered.", _ref(name)),
                      "200": _answer("The same was there already.", _ref(name)), **_refusals()},
    }  # fmt: skip


def _read(summary: str, parameters: list[dict[str, Any]], schema: dict[str, Any]) -> dict[str, Any]:
    return {"summary": summary, "parameters": parameters, "responses": {"200": _answer(summary, schema), **_refusals()}}


def _answer(text: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": text, "content": {"application/json": {"schema": schema}}}


def _refusals() -> dict[str, Any]:
    texts = {"400": "Wrong usage.", "401": "No token, or one that is not known.", "403": "The token may not write.",
             "404": "Not there.", "413": "Too large.", "422": "What was sent cannot be read or judged."}  # fmt: skip
    return {code: _answer(text, _ref("Refusal")) for code, text in texts.items()}


def _object(**properties: object) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def _schemas() -> dict[str, Any]:
    verdict = {"type": "string", "enum": _VERDICTS}
    known = {"id": _COUNT, "new": {"type": "boolean"}, "verdict": verdict, "digest": _TEXT}
    piece = _object(piece=_TEXT, characteristic=_TEXT, verdict=verdict, reason=_TEXT,
                    value={"type": ["string", "null"]})  # fmt: skip
    point = _object(period=_TEXT, stratum={"type": ["string", "null"]}, lots=_COUNT, inspected=_COUNT, failed=_COUNT,
                    n=_COUNT, mean=_MAYBE, mean_ci=_PAIR, s_within=_MAYBE, s_overall=_MAYBE, cpk=_MAYBE, cpk_ci=_PAIR,
                    ppk=_MAYBE, ppk_ci=_PAIR)  # fmt: skip
    return {
        "Finding": _object(clause=_TEXT, characteristic=_TEXT, instance=_TEXT, verdict=verdict, reason=_TEXT,
                           value=_MAYBE, unit=_TEXT, u=_MAYBE, lower=_MAYBE, upper=_MAYBE, probability=_MAYBE,
                           observed=_TEXT),
        "Judged": _object(**known, findings=_array("Finding")),
        "JudgedLot": _object(**known, lot=_COUNT, inspected=_COUNT, not_inspected=_COUNT, failed=_COUNT,
                             undecided=_COUNT, nonconforming={"type": "array", "items": piece},
                             plan=_object(kind=_TEXT, n=_COUNT, ac=_MAYBE, re=_MAYBE)),
        "Verdict": _object(id=_COUNT, verdict=verdict, inspected_on=_DAY, subject=_TEXT, owner=_TEXT, item=_TEXT,
                           sheet=_TEXT, rule=_TEXT, inspector=_TEXT),
        "Inspection": _object(id=_COUNT, number={"type": ["string", "null"]}, verdict=verdict, subject=_TEXT,
                              item=_TEXT, inspected_on=_DAY, record={"type": "object"}),
        "Trend": _object(characteristic=_TEXT, unit=_TEXT, lower=_MAYBE, upper=_MAYBE,
                         points={"type": "array", "items": point}),
        "Trends": _object(period=_TEXT, by={"type": ["string", "null"]}, characteristics=_array("Trend"),
                          pareto={"type": "array", "items": _object(characteristic=_TEXT, reason=_TEXT, count=_COUNT,
                                                                    cumulative=_NUMBER)}),
        "Refusal": _object(error=_object(where=_TEXT, why=_TEXT, hint=_TEXT)),
    }  # fmt: skip
