"""Kern KCP: a close relative of MT-SICS with the same lines; commands in capitals, ended by CR LF, one at a time."""

from __future__ import annotations

from typing import Final

from inspect_kit.capture.protocols.mt_sics import DETAILS, parse
from inspect_kit.capture.protocols.reply import InstrumentKind, Protocol

KCP: Final = Protocol("kcp", "Kern", InstrumentKind.SCALE, parse, (b"SI\r\n", b"S\r\n"), details=DETAILS)
