"""Bytes to lines, and lines to server-sent events, without reading anything: the callers bring the bytes."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

_BREAK = re.compile("\r\n|\n|\r")


class Lines:
    """Splits bytes into lines; CR, LF and CRLF end one."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""

    def feed(self, piece: bytes, end: bool = False) -> list[str]:
        """Return the lines that are whole; at the end also what has no line break."""
        text = self._rest + self._decoder.decode(piece, end)
        # A CR at the very end may be the first half of CRLF: it waits for what follows.
        held = "\r" if text.endswith("\r") and not end else ""
        parts = _BREAK.split(text[: len(text) - len(held)])
        self._rest = parts.pop() + held
        if end and self._rest:
            parts.append(self._rest)
        return parts


@dataclass
class ServerSentEvent:
    """One event of a stream."""

    event: str
    data: str
    id: str


class ServerSentEvents:
    """Reads server-sent events as the WHATWG standard has them."""

    def __init__(self) -> None:
        self._lines = Lines()
        self._first = True
        self._event, self._data, self._id = "", list[str](), ""

    def feed(self, piece: bytes) -> list[ServerSentEvent]:
        """Return the events that are whole."""
        out: list[ServerSentEvent] = []
        for line in self._lines.feed(piece):
            if self._first:
                line = line.removeprefix("\ufeff")
                self._first = False
            if line == "":
                if self._data:
                    out.append(ServerSentEvent(self._event or "message", "\n".join(self._data), self._id))
                self._event, self._data = "", []
                continue
            name, colon, value = line.partition(":")
            if not name:
                continue
            value = value.removeprefix(" ") if colon else ""
            if name == "event":
                self._event = value
            elif name == "data":
                self._data.append(value)
            elif name == "id" and "\0" not in value:
                self._id = value
        return out
