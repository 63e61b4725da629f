"""The guided way on the whole terminal: the screens on the left, the question right, the place to measure below it."""

from collections.abc import Callable
from dataclasses import replace

from click import unstyle
from prompt_toolkit.application import Application, get_app
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.data_structures import Point
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import HSplit, Layout, VSplit, Window
from prompt_toolkit.layout.controls import FormattedTextControl
from prompt_toolkit.output import Output
from prompt_toolkit.widgets import HorizontalLine, TextArea, VerticalLine

from inspect_kit.cli.guided.session import GuidedSession, drawing_of, lines_of, prompt_of, state_of, title_of

_LIST_WIDTH = 38
"""Columns for the list of screens; the rest of an 80-column terminal holds the question."""
_DRAWING_HEIGHT = 11
"""Lines of the tallest drawing."""
_TOLD_HEIGHT = 5
"""Lines for what the last answer means."""


class _View:
    """The session on the screen, and what the next line makes of it."""

    def __init__(self, session: GuidedSession, save: Callable[[GuidedSession], None]) -> None:
        self.session, self._save = session, save

    def listed(self) -> StyleAndTextTuples:
        """The screens with how far each is; the one that is asked stands out."""
        session, now = self.session, self.session.screen
        rows: StyleAndTextTuples = []
        for number, each in enumerate(session.screens, 1):
            here = now is not None and now.keys <= each.keys
            text = f"{'▶' if here else ' '}{number:>3} {title_of(session, each)}"[: _LIST_WIDTH - 4]
            mark = {session.say("state_done"): "✓", session.say("state_passed"): "·"}.get(state_of(session, each), " ")
            rows.append(("reverse" if here else "", f"{text:<{_LIST_WIDTH - 4}} {mark}\n"))
        return rows

    def place(self) -> Point:
        """The line of the list that must be in sight on a small terminal."""
        now = self.session.screen
        found = (n for n, each in enumerate(self.session.screens) if now is not None and now.keys <= each.keys)
        return Point(0, next(found, 0))

    def question(self) -> StyleAndTextTuples:
        """What is asked now."""
        screen = self.session.screen
        if screen is None:
            return []
        first, *rest = lines_of(self.session, screen)
        return [("bold", f"{first}\n\n"), ("", "\n".join(rest))]

    def drawing(self) -> str:
        """The place to be measured."""
        screen = self.session.screen
        return drawing_of(screen.questions[0].characteristic, screen.questions[0].unit) if screen else ""

    def told(self) -> str:
        """What the last answer means."""
        return unstyle("\n".join((*self.session.told[-_TOLD_HEIGHT:], self.session.say("keys"))))

    def prompt(self) -> str:
        """The unit before the cursor."""
        screen = self.session.screen
        return prompt_of(self.session, screen) if screen else ""

    def accept(self, buffer: Buffer) -> bool:
        """One line more; the walk may end with it."""
        before = self.session
        self.session = before.typed(buffer.text)
        if self.session.entry != before.entry:
            self._save(self.session)
        if self.session.screen is None:
            get_app().exit()
        return False


def run(
    session: GuidedSession,
    save: Callable[[GuidedSession], None],
    given: Input | None = None,
    shown: Output | None = None,
) -> GuidedSession:
    """Walk through all screens on the whole terminal; gives the session where it ended."""
    view = _View(session, save)
    application = _application(view, given, shown)
    application.run()
    return view.session


def _application(view: _View, given: Input | None, shown: Output | None) -> Application[None]:
    typed = TextArea(height=1, multiline=False, prompt=view.prompt, accept_handler=view.accept)
    right = HSplit([
        Window(FormattedTextControl(view.question), wrap_lines=True),
        Window(FormattedTextControl(view.drawing), height=_DRAWING_HEIGHT),
    ])  # fmt: skip
    left = Window(FormattedTextControl(view.listed, get_cursor_position=view.place), width=_LIST_WIDTH)
    told = Window(FormattedTextControl(view.told), height=_TOLD_HEIGHT + 1, wrap_lines=True)
    body = HSplit([VSplit([left, VerticalLine(), right]), HorizontalLine(), told, HorizontalLine(), typed])
    return Application(
        Layout(body, focused_element=typed), key_bindings=_keys(view), full_screen=True, input=given, output=shown
    )


def _keys(view: _View) -> KeyBindings:
    """Leaving with the usual keys keeps every answer."""
    keys = KeyBindings()

    @keys.add("c-c")
    @keys.add("c-d")
    @keys.add("c-q")
    def _(event: KeyPressEvent) -> None:
        view.session = replace(view.session, left=True)
        event.app.exit()

    return keys
