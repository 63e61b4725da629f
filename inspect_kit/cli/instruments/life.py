"""`instruments due` and `suspect`: when a gauge's calibration ends, and what hangs on one that was found bad."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from datetime import date, datetime
from decimal import Decimal

import click

from inspect_kit.capture.daily_checks import read_checks, standing
from inspect_kit.capture.instruments import Instrument, instrument_ids, load_instruments
from inspect_kit.cli.issuer import registry_here
from inspect_kit.cli.options import day_option, home_folder, json_option, own_instruments
from inspect_kit.cli.terminal import columns, print_result, said, said_of, wants_json
from inspect_kit.clock import today
from inspect_kit.values.quantity import parse_quantity

Row = dict[str, object]


@click.command("due")
@click.option("--within", type=click.IntRange(0, 3660), default=30, show_default=True, help="Days to look ahead.")
@json_option
def due(within: int) -> int:
    """The desk's own gauges whose calibration has run out, runs out soon or has no date.

    Exit code 1 if one has run out.

    \b
    Example:
      inspect-kit instruments due --within 60
    """
    folder = own_instruments()
    gauges = load_instruments(instrument_ids((folder,)), [folder]).values()
    rows = [row for gauge in gauges if (row := _due(gauge, today(), within))]
    rows.sort(key=lambda row: str(row["calibrated_until"] or ""))
    for row in rows:
        row["check"] = standing(home_folder(), str(row["id"]), today()).state.value
    head = map(said, ("head-serial", "head-until", "head-days-left", "head-state", "head-check"))
    lines = columns([("id", *head), *map(_due_cells, rows)]) if rows else (said("nothing-due"),)
    print_result(rows, *lines)
    return 1 if any(row["state"] == "expired" for row in rows) else 0


def _due_cells(row: Row) -> tuple[str, ...]:
    told = {**row, "state": said_of("due", str(row["state"])), "check": said_of("check", str(row["check"]))}
    return tuple("" if cell is None else str(cell) for cell in told.values())


def _due(gauge: Instrument, on: date, within: int) -> Row | None:
    until = gauge.calibrated_until
    left = (until - on).days if until else None
    if left is not None and left > within:
        return None
    state = "no date" if left is None else "expired" if left < 0 else "due"
    day = until.isoformat() if until else None
    return {"id": gauge.id, "serial": gauge.serial, "calibrated_until": day, "days_left": left, "state": state}


@click.command("suspect")
@click.argument("name", metavar="ID")
@day_option("--since", "From when on it may have been bad.", required=True)
@click.option("--error", help="How much too much it shows, for example 0.05g (default: from its last failed check).")
@json_option
def suspect(name: str, since: datetime, error: str | None) -> int:
    """Every certificate that hangs on a gauge found bad, and its verdict with the gauge's error taken off.

    Those whose verdict would change are remembered here: `verify` and `registry` tell it, and `label` gives no sticker.
    With --error 0g they are cleared again.
    Exit code 1 if a verdict would change, 3 if the error is not known.

    \b
    Example:
      inspect-kit instruments suspect desk-scale --since 2026-10-01 --error 0.05g
    """
    gauge = load_instruments([name], [own_instruments()])[name]
    wrong = _error(gauge, error)
    rows = list(_hanging(gauge, since.date(), wrong))
    from inspect_kit.certificate.issue.trust import remember_suspected

    remember_suspected(home_folder(), name, [str(row["number"]) for row in rows if row["would_be"] != row["verdict"]])
    stated = f"{wrong:f}" if wrong is not None else None
    data = {"instrument": name, "error": stated, "unit": gauge.resolution.unit.base, "certificates": rows}
    print_result(data, *_lines(rows))
    if rows and wrong is None and not wants_json():
        click.echo(said("error-unknown"), err=True)
    changed = any(row["would_be"] != row["verdict"] for row in rows)
    return 3 if rows and wrong is None else 1 if changed else 0


def _error(gauge: Instrument, stated: str | None) -> Decimal | None:
    """What was stated, or the largest error of the last check that failed, in g or mm."""
    if stated is not None:
        return parse_quantity(stated, gauge.resolution.unit, where="--error").in_base
    checks, _ = read_checks(home_folder(), gauge.id)
    failed = next((check for check in reversed(checks) if not check.passed), None)
    return max((point.error.in_base for point in failed.points), key=abs) if failed else None


def _hanging(gauge: Instrument, since: date, error: Decimal | None) -> Iterator[Row]:
    from inspect_kit.inspection.record import open_record
    from inspect_kit.inspection.suspicion import suspect_lines, verdict_without
    from inspect_kit.registry.search import RegistryQuery, listing

    registry = registry_here()
    with registry.reading() as connection:
        for found in list(listing(connection, RegistryQuery(since=since.isoformat()), today())):
            record = open_record(registry.shelf.take(connection, found.record), where=found.number)
            lines = suspect_lines(record, gauge.id, error)
            if lines:
                yield {
                    "number": found.number, "subject": found.subject, "owner": found.owner, "issued": found.issued_on,
                    "verdict": record.verdict, "would_be": verdict_without(record, gauge.id, lines),
                    "lines": [asdict(line) for line in lines],
                }  # fmt: skip


def _lines(rows: list[Row]) -> Iterable[str]:
    if not rows:
        return (said("none-hangs"),)
    keys, verdicts = ("number", "issued", "subject", "owner"), ("verdict", "would_be")
    head = map(said, (*(f"head-{key}" for key in keys), "head-verdict", "head-would-be"))
    told = [
        (*(str(row[key]) for key in keys), *(said_of("verdict", str(row[key])) for key in verdicts)) for row in rows
    ]
    return columns([tuple(head), *told])
