"""The two clients."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timezone
from typing import Any, TypeVar

from ._async_verbs import AsyncVerbs
from ._call import AsyncListing, Call, Listing, options_of
from ._decode import decode
from ._stream import ServerSentEvents
from ._transport import (
    AsyncHttpxTransport,
    AsyncTransport,
    HttpxTransport,
    StandardTransport,
    ThreadTransport,
    Transport,
    has_httpx,
)
from ._verbs import Verbs
from .errors import ConnectionFailedError, LukasaError, ServerError
from .types import DefiningMemory, Event

C = TypeVar("C", bound="Lukasa")
A = TypeVar("A", bound="AsyncLukasa")

_SILENCE = 45.0  # seconds; the server says something every 15
_FIRST_WAIT = 1.0


def _gap() -> Event:
    return Event(type="stream.gap", at=datetime.now(timezone.utc))


def _passes(e: LukasaError) -> bool:
    return isinstance(e, (ConnectionFailedError, ServerError)) or e.status == 429


class Lukasa(Verbs):
    """A client of one server. It may be used by several threads.

    server: like http://127.0.0.1:7077; without it LUKASA_SERVER, then that address
    api_key: sk_…; without it LUKASA_API_KEY
    base_url: the same as server
    timeout: seconds that each step of a try may take (to connect, to send, to wait for more); None lifts the limit
    tries: how often a call is made when the server is busy or away
    max_wait: the longest wait before another try, in seconds; a server that asks for more ends the call
    headers: more headers of every call
    transport: instead of httpx where it is installed, and the standard library elsewhere
    """

    def __init__(
        self,
        server: str | None = None,
        api_key: str | None = None,
        *,
        base_url: str | None = None,
        timeout: float | None = 60.0,
        tries: int = 4,
        max_wait: float = 30.0,
        headers: Mapping[str, str] | None = None,
        transport: Transport | None = None,
    ) -> None:
        options = options_of(server or base_url, api_key, timeout, tries, max_wait, headers)
        super().__init__(options, transport or (HttpxTransport() if has_httpx() else StandardTransport()))

    def with_options(self: C, **changes: Any) -> C:
        """Return a client with other options (timeout, tries, max_wait, headers) over the same connections."""
        out = object.__new__(type(self))
        Verbs.__init__(out, replace(self._options, **changes), self._transport)
        return out

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Make a call that has no verb of its own and return the answer's JSON."""
        return self._object(method, path, query=query or {}, body=body, safe=method == "GET")

    def get_defining_memories(
        self,
        type_filter: str | Sequence[str] | None = None,
        *,
        since: str | date | datetime | None = None,
        container: str | None = None,
        limit: int | None = None,
    ) -> Listing[DefiningMemory]:
        """List decisions, milestones, events and turning points, newest first: the same as list_defining_memories."""
        return self.list_defining_memories(type=type_filter, since=since, container=container, limit=limit)

    def events(self) -> Iterator[Event]:
        """News of what changes, from now on, as it happens, until the loop ends.

        A line that breaks is taken up again. Then comes an event of type "stream.gap": what happened in between is
        not told, so that
        now is the time to read anew what the events are followed for.
        """
        lost, begun = 0, False
        while True:
            try:
                call = Call("GET", "/v1/events", accept="text/event-stream", safe=True, timeout=_SILENCE)
                answer = self._send(call)
                if begun:
                    yield _gap()
                begun, parser, pieces = True, ServerSentEvents(), answer.pieces()
                try:
                    for piece in pieces:
                        for e in parser.feed(piece):
                            lost = 0
                            yield decode(Event, json.loads(e.data))
                finally:
                    answer.close()
            except LukasaError as e:
                if not begun or not _passes(e):
                    raise
            time.sleep(min(_FIRST_WAIT * 2 ** min(lost, 10), self._options.max_wait))
            lost += 1

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def __enter__(self: C) -> C:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncLukasa(AsyncVerbs):
    """A client of one server for an event loop; what it is made with is what Lukasa is made with.

    Without httpx the calls run in threads, and each open stream holds one.
    """

    def __init__(
        self,
        server: str | None = None,
        api_key: str | None = None,
        *,
        base_url: str | None = None,
        timeout: float | None = 60.0,
        tries: int = 4,
        max_wait: float = 30.0,
        headers: Mapping[str, str] | None = None,
        transport: AsyncTransport | None = None,
    ) -> None:
        options = options_of(server or base_url, api_key, timeout, tries, max_wait, headers)
        super().__init__(options, transport or (AsyncHttpxTransport() if has_httpx() else ThreadTransport()))

    def with_options(self: A, **changes: Any) -> A:
        """Return a client with other options (timeout, tries, max_wait, headers) over the same connections."""
        out = object.__new__(type(self))
        AsyncVerbs.__init__(out, replace(self._options, **changes), self._transport)
        return out

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Make a call that has no verb of its own and return the answer's JSON."""
        return await self._object(method, path, query=query or {}, body=body, safe=method == "GET")

    def get_defining_memories(
        self,
        type_filter: str | Sequence[str] | None = None,
        *,
        since: str | date | datetime | None = None,
        container: str | None = None,
        limit: int | None = None,
    ) -> AsyncListing[DefiningMemory]:
        """List decisions, milestones, events and turning points, newest first: the same as list_defining_memories."""
        return self.list_defining_memories(type=type_filter, since=since, container=container, limit=limit)

    async def events(self) -> AsyncIterator[Event]:
        """News of what changes, from now on, as it happens, until the loop ends.

        A line that breaks is taken up again. Then comes an event of type "stream.gap": what happened in between is
        not told, so that
        now is the time to read anew what the events are followed for.
        """
        lost, begun = 0, False
        while True:
            try:
                call = Call("GET", "/v1/events", accept="text/event-stream", safe=True, timeout=_SILENCE)
                answer = await self._send(call)
                if begun:
                    yield _gap()
                begun, parser = True, ServerSentEvents()
                try:
                    async for piece in answer.pieces():
                        for e in parser.feed(piece):
                            lost = 0
                            yield decode(Event, json.loads(e.data))
                finally:
                    await answer.close()
            except LukasaError as e:
                if not begun or not _passes(e):
                    raise
            await asyncio.sleep(min(_FIRST_WAIT * 2 ** min(lost, 10), self._options.max_wait))
            lost += 1

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    async def __aenter__(self: A) -> A:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
