"""The maker's service: a token, measurements in, verdicts and trends out, and a page that shows them."""

from __future__ import annotations

import os
import re
import ssl
import subprocess
import sys
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from openapi_spec_validator import validate
from starlette.routing import Route
from starlette.testclient import TestClient

from inspect_kit.registry.opening import open_registry
from inspect_kit.station.service.app import create_service, serve
from inspect_kit.station.service.openapi import PREFIX, document
from inspect_kit.station.service.tokens import give_out, read_tokens, withdraw
from inspect_kit.station.service.work import Service
from inspect_kit.station.web.serving import ServerAddress

STRIKER = "characteristic,value,unit,u\nstriker.mass,14.80,g,0.01\nstriker.diameter,41.5,mm,0.01\n"
ASKED = {"spec": "icf-cs", "item": "striker", "subject": "S-1"}
LOT = "piece,coin.diameter [mm],machine\n1,31.00,M1\n2,31.10,M2\n3,31.20,M1\n4,31.95,M2\n"
LOT_ASKED = {"spec": "icf-cs", "item": "coin-set", "subject": "L-1", "characteristic": "coin.diameter", "u": "0.01mm"}


@pytest.fixture
def service(tmp_path: Path) -> Service:
    registry = open_registry(tmp_path, remembered=False)
    return Service(tmp_path, registry, lambda: datetime(2026, 11, 16, 9, tzinfo=UTC))


@pytest.fixture
def client(service: Service) -> TestClient:
    return TestClient(create_service(service, frozenset({"localhost"}), "the key"), base_url="http://localhost")


def bearer(service: Service, *, write: bool = True) -> dict[str, str]:
    return {"Authorization": f"Bearer {give_out(service.home, f'press {write}', write=write, since='2026-11-16')}"}


def posted(client: TestClient, path: str, body: str, asked: dict[str, str], headers: dict[str, str]) -> Any:
    return client.post(f"{PREFIX}/{path}", params=asked, content=body, headers={"Content-Type": "text/csv", **headers})


def test_what_is_posted_is_judged_and_its_verdict_can_be_read(client: TestClient, service: Service) -> None:
    headers = bearer(service)
    answer = posted(client, "measurements", STRIKER, ASKED, headers)
    assert (answer.status_code, answer.json()["verdict"]) == (201, "fails")
    findings = {each["characteristic"]: each for each in answer.json()["findings"]}
    assert findings["striker.diameter"]["reason"] == "above-upper"
    assert (findings["striker.mass"]["verdict"], findings["striker.mass"]["value"]) == ("conforms", 14.8)
    number = answer.json()["id"]
    (listed,) = client.get(f"{PREFIX}/verdicts", headers=headers).json()
    assert (listed["id"], listed["subject"], listed["verdict"]) == (number, "S-1", "fails")
    kept = client.get(f"{PREFIX}/verdicts/{number}", headers=headers).json()
    assert kept["record"]["subject"]["text"] == "S-1"
    assert "/tmp" not in str(kept)


def test_the_same_measurements_sent_twice_are_entered_once(client: TestClient, service: Service) -> None:
    headers = bearer(service)
    first = posted(client, "measurements", STRIKER, ASKED, headers)
    second = posted(client, "measurements", STRIKER, ASKED, headers)
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json()["id"] == second.json()["id"]


def test_a_posted_lot_is_judged_and_stands_in_the_trend_at_once(client: TestClient, service: Service) -> None:
    headers = bearer(service)
    assert client.get(f"{PREFIX}/trends", headers=headers).json()["characteristics"] == []
    answer = posted(client, "lots", LOT, LOT_ASKED, headers)
    found = answer.json()
    assert (answer.status_code, found["verdict"], found["inspected"], found["failed"]) == (201, "fails", 4, 1)
    assert found["nonconforming"][0]["piece"] == "4"
    data = client.get(f"{PREFIX}/trends", params={"by": "machine"}, headers=headers).json()
    points = data["characteristics"][0]["points"]
    assert [(point["period"], point["stratum"], point["n"]) for point in points] == [
        ("2026-11", "M1", 2), ("2026-11", "M2", 2),
    ]  # fmt: skip
    assert data["pareto"][0]["reason"] == "above-upper"
    chart = client.get("/chart.svg", params={"by": "machine"}, headers=headers)
    assert (chart.status_code, chart.headers["content-type"]) == (200, "image/svg+xml")


@pytest.mark.parametrize("path", ["verdicts", "verdicts/1", "trends"])
def test_nobody_reads_without_a_token(client: TestClient, service: Service, path: str) -> None:
    give_out(service.home, "press", write=True, since="")
    for headers in (
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": "Basic eDp5"},
        {"Authorization": "Bearer "},
    ):
        answer = client.get(f"{PREFIX}/{path}", headers=headers)
        assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")


def test_a_token_that_may_read_does_not_post_and_a_withdrawn_one_is_refused(
    client: TestClient, service: Service
) -> None:
    headers = bearer(service, write=False)
    assert posted(client, "measurements", STRIKER, ASKED, headers).status_code == 403
    assert client.get(f"{PREFIX}/trends", headers=headers).status_code == 200
    withdraw(service.home, "press False")
    assert client.get(f"{PREFIX}/trends", headers=headers).status_code == 401


def test_of_a_token_only_its_digest_is_kept(service: Service) -> None:
    secret = give_out(service.home, "press", write=True, since="2026-11-16")
    assert secret not in (service.home / "service-tokens.json").read_text()
    assert read_tokens(service.home)[0].name == "press"


@pytest.mark.parametrize(
    ("path", "body", "asked", "code", "why"),
    [
        ("measurements", STRIKER, {**ASKED, "spec": "../../etc/passwd"}, 400, "no sheet is called"),
        ("measurements", STRIKER, {**ASKED, "spec": "mine.toml"}, 400, "no sheet is called"),
        ("measurements", STRIKER, {**ASKED, "item": "puck"}, 400, "puck"),
        ("measurements", STRIKER, {**ASKED, "subject": ""}, 422, "is empty"),
        ("measurements", STRIKER, {**ASKED, "on": "soon"}, 400, "is no day"),
        ("measurements", "characteristic,value\nstriker.mass,heavy\n", ASKED, 422, "heavy"),
        ("measurements", "", ASKED, 422, ""),
        ("lots", LOT.replace("31.10", "x"), LOT_ASKED, 422, "x"),
        ("lots", LOT, {**LOT_ASKED, "lot": "-4"}, 400, "no number of pieces"),
        ("lots", LOT, {**LOT_ASKED, "severity": "lax"}, 400, "is one of"),
    ],
)
def test_what_is_wrong_comes_back_as_where_why_and_hint(
    client: TestClient, service: Service, path: str, body: str, asked: dict[str, str], code: int, why: str
) -> None:
    answer = posted(client, path, body, asked, bearer(service))
    error = answer.json()["error"]
    assert (answer.status_code, why in error["why"] + error["where"]) == (code, True), error
    assert "/tmp" not in str(error)


def test_content_of_another_kind_is_refused(client: TestClient, service: Service) -> None:
    headers = {**bearer(service), "Content-Type": "application/pdf"}
    answer = client.post(f"{PREFIX}/measurements", params=ASKED, content=b"%PDF", headers=headers)
    assert (answer.status_code, answer.json()["error"]["where"]) == (400, "Content-Type")


def test_the_document_describes_every_route_and_all_that_it_refers_to_is_there(service: Service) -> None:
    found = document()
    routes = create_service(service, frozenset()).routes
    served = {
        (re.sub(r":int", "", route.path), method.lower())
        for route in routes if isinstance(route, Route) and route.path.startswith(PREFIX)
        for method in (route.methods or ()) if method != "HEAD"
    }  # fmt: skip
    described = {(path, method) for path, methods in found["paths"].items() for method in methods}
    assert served == described
    names = set(re.findall(r"#/components/schemas/(\w+)", str(found)))
    assert names <= set(found["components"]["schemas"])


def test_what_is_answered_has_the_keys_that_the_document_names(client: TestClient, service: Service) -> None:
    headers, schemas = bearer(service), document()["components"]["schemas"]
    lot = posted(client, "lots", LOT, LOT_ASKED, headers).json()
    judged = posted(client, "measurements", STRIKER, ASKED, headers).json()
    trends = client.get(f"{PREFIX}/trends", headers=headers).json()
    for name, data in (
        ("JudgedLot", lot), ("Judged", judged), ("Finding", judged["findings"][0]), ("Trends", trends),
        ("Trend", trends["characteristics"][0]),
        ("Verdict", client.get(f"{PREFIX}/verdicts", headers=headers).json()[0]),
        ("Inspection", client.get(f"{PREFIX}/verdicts/{lot['id']}", headers=headers).json()),
    ):  # fmt: skip
        assert set(data) <= set(schemas[name]["properties"]), name
    point = schemas["Trend"]["properties"]["points"]["items"]["properties"]
    assert set(trends["characteristics"][0]["points"][0]) == set(point)


def test_the_page_opens_with_its_key_reads_by_its_cookie_and_never_writes(client: TestClient) -> None:
    closed = client.get("/", headers={"Accept-Language": "cs"})
    assert (closed.status_code, "potřebuje adresu s klíčem" in closed.text) == (401, True)
    assert client.get("/?key=wrong").status_code == 401
    opened = client.get("/?key=the+key", headers={"Accept-Language": "it,en"})
    assert (opened.status_code, "Qualità nel tempo" in opened.text) == (200, True)
    assert client.get(f"{PREFIX}/trends").status_code == 200
    assert posted(client, "measurements", STRIKER, ASKED, {}).status_code == 401


def test_the_page_names_things_in_its_language_and_draws_for_phones(client: TestClient, service: Service) -> None:
    posted(client, "lots", LOT, LOT_ASKED, bearer(service))
    client.get("/", params={"key": "the key"})
    page = client.get("/", params={"lang": "de"}).text
    assert "Spielstein, Durchmesser" in page
    assert "reason.conditional-fail" in page  # Every reason has words, not only the usual ones.
    wide, narrow = (client.get("/chart.svg", params={"lang": "de", "narrow": each}).text for each in ("", "1"))
    assert "<!-- Spielstein, Durchmesser -->" in wide
    assert "<!-- gefundene Fehler -->" in wide
    assert ('width="648pt"' in wide, 'width="324pt"' in narrow) == (True, True)


def test_a_name_that_is_not_ours_is_refused(client: TestClient) -> None:
    assert client.get(f"{PREFIX}/openapi.json", headers={"Host": "evil.example"}).status_code == 421


def test_others_reach_the_service_only_encrypted_and_with_a_token(service: Service) -> None:
    with pytest.raises(Exception, match="only reach the service encrypted"):
        serve(service, ServerAddress("0.0.0.0", 0), lambda _: None)


HOSTILE = {
    "deep": "[" * 100_000,
    "not a number": '{"format": 1, "measurements": [{"characteristic": "striker.mass", "value": NaN, "unit": "g"}]}',
    "huge": '{"format": 1, "measurements": [{"characteristic": "striker.mass", "value": 1e400, "unit": "g"}]}',
    "digits": '{"format": 1, "measurements": [{"characteristic": "striker.mass", "value": %s}]}' % ("9" * 100_000),
    "other shape": '{"format": 1, "measurements": {"a": 1}}',
    "twice": '{"format": 1, "format": 2, "measurements": []}',
    "half a letter": '{"format": 1, "measurements": [{"characteristic": "striker.mass\\ud800", "value": 1}]}',
    "nothing": "",
    "null": "null",
}


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_json_is_refused_in_one_sentence(client: TestClient, service: Service, body: str) -> None:
    headers = {"Content-Type": "application/json", **bearer(service)}
    answer = client.post(f"{PREFIX}/measurements", params=ASKED, content=body, headers=headers)
    assert (answer.status_code, set(answer.json()["error"])) == (422, {"where", "why", "hint"})
    assert client.get(f"{PREFIX}/verdicts", headers=headers).json() == []


def test_more_than_fits_is_refused_announced_or_not(client: TestClient, service: Service) -> None:
    headers = {"Content-Type": "application/json", **bearer(service)}
    much = b" " * 27_000_000
    for body in (much, iter([much[:14_000_000], much[14_000_000:]])):
        answer = client.post(f"{PREFIX}/measurements", params=ASKED, content=body, headers=headers)
        assert (answer.status_code, answer.json()["error"]["why"]) == (413, "is too large")


def test_a_path_or_method_that_is_not_there_is_refused_as_everything_is(client: TestClient) -> None:
    assert "openapi" in client.get("/api/v1/nothing").json()["error"]["hint"]
    assert client.delete(f"{PREFIX}/verdicts").json()["error"]["why"] == "cannot be asked in this way"


@pytest.mark.parametrize(
    ("language", "path", "method", "entry", "token", "sheet"),
    [
        (
            "de",
            "gibt es nicht",
            "lässt sich so nicht abfragen",
            "steht nicht im Register",
            "braucht ein Token",
            "Blatt",
        ),
        ("cs", "neexistuje", "takto se ptát nelze", "v registru není", "vyžaduje token", "list"),
        ("it", "non esiste", "non si può chiedere in questo modo", "non è nel registro", "richiede un token", "foglio"),
        ("fr", "is not there", "cannot be asked in this way", "is not in the registry", "needs a token", "sheet"),
    ],
)
def test_a_refusal_is_in_the_language_that_is_asked_for(
    client: TestClient, service: Service, language: str, path: str, method: str, entry: str, token: str, sheet: str
) -> None:
    asking = {"Accept-Language": f"{language}-XX,{language};q=0.9"}
    allowed = {**bearer(service), **asking}
    wrong = posted(client, "measurements", STRIKER, {**ASKED, "spec": "mine.toml"}, allowed)
    answers = [
        client.get(f"{PREFIX}/nothing", headers=asking),
        client.delete(f"{PREFIX}/verdicts", headers=asking),
        client.get(f"{PREFIX}/verdicts/999", headers=allowed),
        client.get(f"{PREFIX}/verdicts", headers=asking),
    ]
    assert [answer.status_code for answer in answers] == [404, 405, 404, 401]
    assert [answer.json()["error"]["why"] for answer in answers] == [path, method, entry, token]
    assert sheet.lower() in wrong.json()["error"]["why"].lower()
    assert wrong.json()["error"]["where"] == "spec"


def test_the_document_is_valid_openapi() -> None:
    validate(document())


def test_with_tls_the_service_is_reached_by_those_who_trust_the_issuer(tmp_path: Path) -> None:
    """As it is started on a terminal; a client that does not trust the issuer's CA, or speaks plainly, gets nothing."""
    environment = {**os.environ, "INSPECT_KIT_HOME": str(tmp_path), "INSPECT_KIT_LANG": "en"}
    run = partial(subprocess.run, env=environment, capture_output=True, text=True, check=True)
    kit = [sys.executable, "-m", "inspect_kit"]
    run([*kit, "keys", "init", "--name", "Turnery", "--inspector", "Eva", "--no-passphrase"])
    token = run([*kit, "serve", "token", "add", "press 4"]).stdout.strip()
    command = [*kit, "serve", "--tls", "--port", "0"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as served:
        try:
            assert served.stdout is not None
            address = re.search(r"https://127\.0\.0\.1:\d+", served.stdout.readline())
            assert address
            asked = f"{address[0]}{PREFIX}/verdicts"
            known = ssl.create_default_context(cafile=tmp_path / "keys" / "issuer.pem")
            with httpx.Client(verify=known) as trusting:
                assert trusting.get(asked).status_code == 401
                answer = trusting.get(asked, headers={"Authorization": f"Bearer {token}"})
            assert (answer.status_code, answer.json()) == (200, [])
            assert "max-age" in answer.headers["strict-transport-security"]
            with pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
                httpx.get(asked)
            with pytest.raises(httpx.RemoteProtocolError):
                httpx.get(asked.replace("https", "http"))
        finally:
            served.terminate()
