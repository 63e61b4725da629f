"""One request: who asks, in which language, with which form; and the way from a handler to an answer."""

import hashlib
import hmac
import re
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Concatenate, Final
from urllib.parse import quote

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from inspect_kit.checkin.roles import Act, allowed
from inspect_kit.errors import InspectKitError
from inspect_kit.registry.checkin.accounts import pin_holds, who_is
from inspect_kit.registry.checkin.entries import AccountSet, EventSet
from inspect_kit.registry.checkin.store import is_ticket, queue
from inspect_kit.registry.opening import Given, Result, Transaction
from inspect_kit.station.rendering import Words, drawn, language_from, words_of
from inspect_kit.station.station import Station
from inspect_kit.station.web.guard import MOST_MEGABYTES, TooLarge, not_too_large


class Refusal(Exception):
    """The answer's status and the key of its sentence in the wording."""

    def __init__(self, status: int, key: str, sentence: str = "") -> None:
        self.status = status
        self.key = key
        self.sentence = sentence
        super().__init__(f"{status} {key}")


def not_found() -> Refusal:
    """Nothing here, or nothing for this person: the two look the same, so that nobody can guess."""
    return Refusal(404, "refused.not_found")


SESSION: Final = "inspect_kit_desk"
LANGUAGE: Final = "inspect_kit_language"
_PAGES_AT_ONCE: Final = 6
"""Pages that are worked on at once: more than a few would only take turns on the same core."""
_SLOW_PAGES_AT_ONCE: Final = 24
"""Slow pages that are worked on at once."""
_MOST_FIELDS: Final = 400
"""Fields of one form."""
_MOST_FILES: Final = 12
"""Files of one form."""
_MOST_TEXT: Final = 200_000
"""Bytes of one field."""
_LONGEST: Final = 60_000
"""Characters that are kept of one field."""

Handler = Callable[["Visit"], Response]
_FROM_ANYWHERE = 60
"""Wrong PINs for one name, from all sources together, before everybody who is not signed in has to wait."""


@dataclass(slots=True)
class Visit:
    """A request on its way through a handler."""

    station: Station
    request: Request
    token: str
    words: Words
    who: AccountSet | None = None
    named: EventSet | None = None
    """The event in the address as it is set now, whoever asks: `event` is for handlers."""
    form: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def csrf(self) -> str:
        """What a form must bring along to show that it was ours: only this browser's session gives it."""
        return hmac.new(self.station.secret, self.token.encode(), hashlib.sha256).hexdigest()

    @property
    def person(self) -> AccountSet:
        """Who asks; pages that need nobody do not call this."""
        if self.who is None:
            raise Refusal(403, "refused.sign_in")
        return self.who

    def path(self, name: str) -> str:
        """A part of the address."""
        return str(self.request.path_params.get(name, ""))

    def query(self, name: str) -> str:
        """A part of the query, bounded."""
        return self.request.query_params.get(name, "")[:1000]

    def may(self, act: Act) -> bool:
        """Whether the person may do that."""
        return self.who is not None and allowed(self.who.role, act)

    def event(self) -> EventSet:
        """The event in the address, if it is one of this person's."""
        wanted = self.path("event")
        if not is_ticket(wanted) or not sees(self.person, wanted):
            raise not_found()
        if self.named is None:
            raise not_found()
        return self.named

    def ask(
        self, query: Callable[Concatenate[Transaction, Given], Result], *given: Given.args, **named: Given.kwargs
    ) -> Result:
        """What one query of the registry gives."""
        return self.station.registry.ask(query, *given, **named)

    def evidence(self, digest: str) -> bytes:
        """A file that was kept, by its digest."""
        return self.ask(self.station.registry.shelf.take, digest)

    def item_names(self) -> dict[str, str]:
        """What the items of the event's sheet are called."""
        return {item.id: self.words.item(item.name) for item in self.station.sheet(self.event()).items}

    def queues(self) -> dict[str, Any]:
        """Who waits for a decision at the event, and what is out on a condition."""
        event = self.event().event
        with self.station.registry.reading() as connection:
            return {"waiting": queue(connection, event, ""), "conditional": queue(connection, event, "condition")}

    def page(self, template: str, status: int = 200, **context: Any) -> Response:
        """A page with what all pages show."""
        common = {
            "t": self.words, "lang": self.words.language, "who": self.who, "csrf": self.csrf, "may": self._may_word,
            "here": self.request.url.path, "most": MOST_MEGABYTES,
            "today": self.station.today.isoformat(),
            "plain_http": not (self.station.secure or self.station.loopback),
            "keys": self.station.key is not None, "event": None,
            "issuer": self.station.key.issuer.name if self.station.key else "",
        }  # fmt: skip
        return HTMLResponse(drawn(template, {**common, **context}), status)

    def _may_word(self, act: str) -> bool:
        return self.may(Act(act))

    def go(self, path: str) -> Response:
        """To another page, after something was done."""
        return RedirectResponse(path, 303)

    def check_pin(self, name: str, pin: str) -> bool:
        """Whether the PIN is right; after some wrong ones the same source has to wait for that name.

        Who is signed in waits for their own wrong ones only: strangers' tries do not lock them out.
        """
        doors, keys = self.station.limits.doors, self._doors(name)
        if not all(doors.tries(key, free) for key, free in keys):
            raise Refusal(429, "refused.wait")
        right = pin_holds(self.station.registry, name, pin, self.station.right_pins)
        if right:
            for key, _ in keys:
                doors.right(key)
        return right

    def _doors(self, name: str) -> tuple[tuple[str, int], ...]:
        if self.who is not None and self.who.name == name:
            return ((f"own {name}", 0),)
        host = self.request.client.host if self.request.client else ""
        return (f"{host} {name}", 0), (f"any {name}", _FROM_ANYWHERE)


def sees(who: AccountSet, event: str) -> bool:
    """Whether an event is one of a person's; somebody without a list is there for all of them."""
    return not who.events or event in who.events


def digest_of(token: str) -> str:
    """What is kept of a session."""
    return hashlib.sha256(token.encode()).hexdigest()


def endpoint(handler: Handler, act: Act | None, *, slow: bool = False) -> Callable[[Request], Awaitable[Response]]:
    """A handler as a route: `act` is what the person must be allowed to do; `None` is for everybody.

    `slow` is for what takes its time, as everything with a file does: it must not keep the others waiting.
    """

    async def answer(request: Request) -> Response:
        station: Station = request.app.state.station
        token = request.cookies.get(SESSION, "")
        known = 20 <= len(token) <= 100 and token.isascii()
        visit = Visit(station, request, token if known else secrets.token_urlsafe(32), _words(request))
        try:
            if not station.limits.requests.take(_client(request, token if known else "")):
                raise Refusal(429, "refused.too_many")
            if request.method == "POST":
                await not_too_large(request)
                await _read_form(visit)
            limiter: CapacityLimiter = request.app.state.page_limiters[slow or bool(visit.files)]
            response = await run_sync(_handled, visit, handler, act, limiter=limiter)
        except Refusal as refusal:
            response = _refusal(visit, refusal)
        except TooLarge:
            response = _refusal(visit, Refusal(413, "", visit.words("refused.too_large", most=MOST_MEGABYTES)))
        except HTTPException as problem:
            response = _refusal(visit, Refusal(problem.status_code, "refused.form"))
        if not known and SESSION not in response.headers.get("set-cookie", ""):
            set_session(response, visit.token, secure=station.secure)
        return response

    return answer


def shown_again(show: Callable[[Visit, str], Response]) -> Callable[[Handler], Handler]:
    """For handlers of forms: what is wrong with one is said on its own page, which `show` shows again."""

    def decorated(handler: Handler) -> Handler:
        @wraps(handler)
        def tried(visit: Visit) -> Response:
            try:
                return handler(visit)
            except InspectKitError as problem:
                return show(visit, visit.words.told(problem))

        return tried

    return decorated


def page_limiters() -> dict[bool, CapacityLimiter]:
    """For slow pages and for all others."""
    return {False: CapacityLimiter(_PAGES_AT_ONCE), True: CapacityLimiter(_SLOW_PAGES_AT_ONCE)}


def set_session(response: Response, token: str, *, secure: bool) -> None:
    """Give the browser its session: no script reads it, and no other site sends it."""
    response.set_cookie(SESSION, token, httponly=True, samesite="strict", secure=secure, path="/")


def _client(request: Request, token: str) -> str:
    return token or (request.client.host if request.client else "")


def _words(request: Request) -> Words:
    return words_of(language_from(request.cookies.get(LANGUAGE, ""), request.headers.get("accept-language", "")))


_NEVER_TYPED: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
"""Control characters, such as those that scanners put between the parts of a code, and halves of characters."""


def _typed(text: str) -> str:
    return _NEVER_TYPED.sub("", text[:_LONGEST])


async def _read_form(visit: Visit) -> None:
    """The form's texts and files, bounded; a form that is not ours is refused."""
    try:
        texts, files = await _parts(visit.request)
    except ValueError:
        # The sender names the encoding, and not every one that Python knows can be decoded with.
        raise Refusal(400, "refused.form") from None
    sent = visit.request.headers.get("x-csrf-token", "") or texts.get("csrf", "")
    if not hmac.compare_digest(sent.encode(), visit.csrf.encode()):
        raise Refusal(403, "refused.csrf")
    visit.form, visit.files = texts, {name: content for name, content in files.items() if content}


async def _parts(request: Request) -> tuple[dict[str, str], dict[str, bytes]]:
    texts: dict[str, str] = {}
    files: dict[str, bytes] = {}
    async with request.form(max_files=_MOST_FILES, max_fields=_MOST_FIELDS, max_part_size=_MOST_TEXT) as form:
        for name, value in form.multi_items():
            short = _typed(name)[:60]
            if isinstance(value, UploadFile):
                files[short if short not in files else f"{short}#{len(files)}"] = await value.read()
            elif texts.setdefault(short, _typed(value)) != _typed(value):
                # Of two values for one thing nobody knows which was meant.
                raise Refusal(400, "refused.form")
    return texts, files


def _handled(visit: Visit, handler: Handler, act: Act | None) -> Response:
    """Runs in a thread of its own: nobody waits for another desk's disk."""
    try:
        with visit.station.registry.reading() as connection:
            visit.who = who_is(connection, visit.station.secret, digest_of(visit.token), visit.station.now())
            if visit.who is not None and is_ticket(visit.path("event")):
                visit.named = visit.station.event_in(connection, visit.path("event"))
        if act is not None and visit.who is None:
            if visit.request.method == "GET":
                return RedirectResponse(f"/sign-in?back={quote(_asked_for(visit.request))}", 303)
            raise Refusal(403, "refused.sign_in")
        if act is not None and not visit.may(act):
            raise Refusal(403, "refused.role")
        if act is not None and visit.who is not None and visit.who.once and visit.request.url.path != "/own-pin":
            return RedirectResponse("/own-pin", 303)
        return handler(visit)
    except InspectKitError as problem:
        return _refusal(visit, Refusal(400, "refused.problem", visit.words.told(problem)))


def _asked_for(request: Request) -> str:
    return request.url.path + (f"?{request.url.query}" if request.url.query else "")


def _refusal(visit: Visit, refusal: Refusal) -> Response:
    sentence = refusal.sentence or visit.words(refusal.key)
    return visit.page("message.html", refusal.status, heading=visit.words("refused.heading"), sentence=sentence)


def back_to(wanted: str) -> str:
    """A path of ours to go back to; anything else is the first page."""
    plain = wanted.startswith("/") and not wanted.startswith("//") and "\\" not in wanted and wanted.isprintable()
    return wanted if plain else "/"
