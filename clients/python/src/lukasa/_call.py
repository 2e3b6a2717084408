"""Calls: what goes into a request, when it is made again, and what becomes of the answer."""

from __future__ import annotations

import asyncio
import enum
import json
import os
import random
import time
import urllib.parse
import uuid
from collections.abc import AsyncIterator, Awaitable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, Generic, Protocol, TypeVar, Union

from ._decode import decode, encode, encode_query
from ._stream import Lines, ServerSentEvents
from ._transport import Answer, AsyncAnswer, AsyncTransport, Request, Transport
from .errors import ConnectionFailedError, LukasaError, error_of, is_worth_another_try, parse_retry_after
from .types import BatchItem, ChatReply, OwnReport, Report

T = TypeVar("T")

_FIRST_WAIT = 0.5
_PATIENCE = 30  # how often a file that sleeps is asked for
_MODEL_TIMEOUT = 180.0  # seconds until a model begins to answer


class Unset(enum.Enum):
    """Stands for an argument that is not given, where None says something."""

    UNSET = "UNSET"


UNSET = Unset.UNSET


class HasFileno(Protocol):
    """What open() returns."""

    def read(self) -> bytes: ...


Data = Union[bytes, bytearray, memoryview, str, HasFileno, "IO[bytes]"]
# UploadFile is a path, or (name, data) or (name, data, media type). Text is sent as UTF-8.
UploadFile = Union["os.PathLike[str]", str, tuple[str, Data], tuple[str, Data, str]]


@dataclass
class Options:
    """How calls are made. timeout: seconds that each step of a try may take; max_wait: the longest wait before
    another try.
    """

    server: str
    key: str
    timeout: float | None = 60.0
    tries: int = 4
    max_wait: float = 30.0
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Call:
    """One request of the API."""

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    raw: bytes | None = None
    type: str = ""
    accept: str = "application/json"
    safe: bool = False  # it may be sent twice without harm
    once: bool = False  # only a limit of requests is waited for
    wait: bool = False  # an answer 202 means: not yet
    also: int = 0  # a status that is an answer, not an error
    nulls: tuple[str, ...] = ()  # fields of the body that say something as null
    timeout: float | None | Unset = UNSET


def place(value: str, name: str) -> str:
    """Encode a part of a path."""
    if not isinstance(value, str) or not value:
        raise ValueError(f"{name}: give a string that is not empty")
    return urllib.parse.quote(value, safe="")


def options_of(
    server: str | None,
    key: str | None,
    timeout: float | None,
    tries: int,
    max_wait: float,
    headers: Mapping[str, str] | None,
) -> Options:
    """Check what a client is made with; LUKASA_SERVER and LUKASA_API_KEY stand in for what is not given."""
    server = server or os.environ.get("LUKASA_SERVER") or "http://127.0.0.1:7077"
    to = urllib.parse.urlsplit(server)
    if to.scheme not in ("http", "https") or not to.hostname or to.query or to.fragment:
        raise ValueError(f"server: {server!r} is not the address of a server; give one like http://127.0.0.1:7077")
    key = os.environ.get("LUKASA_API_KEY", "") if key is None else key
    return Options(server.rstrip("/"), key, timeout, tries, max_wait, dict(headers or {}))


def request_of(options: Options, call: Call) -> Request:
    """Make the request of a call."""
    query = {k: encode_query(v) for k, v in call.query.items() if v is not None and v is not UNSET}
    url = options.server + call.path + ("?" + urllib.parse.urlencode(query) if query else "")
    headers = {
        "accept": call.accept,
        "user-agent": "lukasa-python",
        **{k.lower(): v for k, v in options.headers.items()},
    }
    if options.key:
        headers["authorization"] = f"Bearer {options.key}"
    body = call.raw
    if call.body is not None:
        body = json.dumps(_given(call), ensure_ascii=False).encode()
        headers["content-type"] = "application/json"
    elif call.type:
        headers["content-type"] = call.type
    timeout = options.timeout if call.timeout is UNSET else call.timeout
    return Request(call.method, url, headers, body, timeout)


def _given(call: Call) -> dict[str, Any]:
    """Leave out what was not given. None is sent only where it says something."""
    body = call.body or {}
    return {k: encode(v) for k, v in body.items() if v is not UNSET and (v is not None or k in call.nulls)}


class Tries:
    """Counts the tries of a call and says how long to wait before the next."""

    def __init__(self, options: Options, call: Call) -> None:
        self._options, self._call, self._made, self._waits = options, call, 0, 0

    def next_wait(self, fault: LukasaError) -> float:
        """Return the seconds to wait after a fault; raise it if there is no further try."""
        self._made += 1
        wait: float = _FIRST_WAIT * 2 ** min(self._made - 1, 10) * random.uniform(0.75, 1.25)
        if fault.retry_after is not None:
            wait = fault.retry_after
        again = is_worth_another_try(fault, safe=self._call.safe, once=self._call.once)
        if not again or self._made >= max(1, self._options.tries) or wait > self._options.max_wait:
            raise fault
        return wait

    def not_yet(self, status: int, headers: Mapping[str, str]) -> float | None:
        """Return the seconds after which to ask again for what sleeps; None if this is the answer."""
        self._waits += 1
        if status != 202 or not self._call.wait or self._waits > _PATIENCE:
            return None
        after = parse_retry_after(headers.get("retry-after", ""))
        return min(1.0 if after is None else after, self._options.max_wait)

    def is_answer(self, status: int) -> bool:
        return status < 300 or status == self._call.also


@dataclass
class Page(Generic[T]):
    """One page of a list. next_cursor: where the next page begins, "" on the last; total: how many there are on all
    pages.
    """

    items: list[T]
    next_cursor: str
    total: int


def page_of(item: Any, value: Mapping[str, Any]) -> Page[Any]:
    return Page(decode(list[item], value.get("items")), value.get("next_cursor") or "", value.get("total") or 0)


def next_place(value: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return where the next page begins; None after the last."""
    if value.get("next_cursor"):
        return {"cursor": value["next_cursor"]}
    more = value.get("pagination") or {}
    count = len(value.get("items") or ())
    return {"offset": more.get("offset", 0) + count} if more.get("has_more") and count else None


def moved(call: Call, to: Mapping[str, Any]) -> Call:
    """Return the call for another page."""
    out = Call(**vars(call))
    if call.body is not None:
        out.body = {**call.body, **to}
    else:
        out.query = {**call.query, **to}
    return out


def form_of(files: UploadFile | Sequence[UploadFile], fields: Mapping[str, Any]) -> tuple[bytes, str]:
    """Write a multipart form and return it with its content type."""
    boundary = uuid.uuid4().hex
    parts: list[bytes] = []

    def add(head: str, data: bytes) -> None:
        parts.append(f"--{boundary}\r\ncontent-disposition: form-data; {head}\r\n\r\n".encode() + data + b"\r\n")

    for name, value in fields.items():
        if value is None or value is UNSET:
            continue
        encoded = encode(value)
        add(f'name="{name}"', (encoded if isinstance(encoded, str) else json.dumps(encoded)).encode())
    for file in files if isinstance(files, list) else [files]:
        name, data, kind = _file_of(file)
        name = name.replace("\\", "\\\\").replace('"', '\\"').replace("\r", " ").replace("\n", " ")
        add(f'name="file"; filename="{name}"' + (f"\r\ncontent-type: {kind}" if kind else ""), data)
    return b"".join(parts) + f"--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"


def _file_of(file: Any) -> tuple[str, bytes, str]:
    if isinstance(file, (str, os.PathLike)):
        with open(file, "rb") as f:
            return os.path.basename(os.fspath(file)), f.read(), ""
    if not isinstance(file, tuple) or len(file) not in (2, 3):
        raise TypeError("files: give a path, (name, data) or (name, data, media type), or a list of these")
    return file[0], bytes_of(file[1]), file[2] if len(file) == 3 else ""


def bytes_of(data: Any) -> bytes:
    """Read data that may be bytes, text or an open file."""
    if hasattr(data, "read"):
        data = data.read()
    return data.encode() if isinstance(data, str) else bytes(data)


def report_of(value: Mapping[str, Any]) -> OwnReport | Report:
    kind = Report if "kind" in value else OwnReport
    out: OwnReport | Report = decode(kind, value)
    return out


def not_json(server: str, cause: ValueError) -> ConnectionFailedError:
    message = f"the server at {server} gave an answer that is not JSON of lukasa: {cause}"
    return ConnectionFailedError(message, hint="is it a lukasa server?", code="EXTERNAL_ERROR")


class ChatParser:
    """Reads the events of a chat: pieces of text, then the reply."""

    def __init__(self) -> None:
        self._events = ServerSentEvents()
        self.reply: ChatReply | None = None

    def feed(self, piece: bytes) -> list[str]:
        out: list[str] = []
        for e in self._events.feed(piece):
            if e.event == "delta":
                out.append(str(json.loads(e.data).get("text", "")))
            elif e.event == "error":
                raise error_of(502, e.data.encode(), {})
            elif e.event == "done":
                self.reply = decode(ChatReply, json.loads(e.data))
        return out

    def end(self) -> ChatReply:
        if self.reply is None:
            raise ConnectionFailedError("the answer broke off", code="EXTERNAL_ERROR", retryable=True)
        return self.reply


def chat_call(body: dict[str, Any], stream: bool) -> Call:
    """Make the call of a chat. A message without an id gets one, so that it is kept once however often the call has
    to be made.
    """
    if body.get("id") is None:
        body["id"] = f"chat-{uuid.uuid4()}"
    call = Call("POST", "/v1/chat", body=body, once=True, timeout=_MODEL_TIMEOUT)
    if stream:
        call.accept = "text/event-stream"
        body["stream"] = True
    return call


class Caller:
    """Makes calls and reads their answers."""

    def __init__(self, options: Options, transport: Transport) -> None:
        self._options = options
        self._transport = transport

    @property
    def server(self) -> str:
        """The address of the server."""
        return self._options.server

    def _send(self, call: Call) -> Answer:
        request, tries = request_of(self._options, call), Tries(self._options, call)
        while True:
            try:
                answer = self._transport.send(request)
                if tries.is_answer(answer.status):
                    wait = tries.not_yet(answer.status, answer.headers)
                    if wait is None:
                        return answer
                    answer.read()
                else:
                    wait = tries.next_wait(error_of(answer.status, answer.read(), answer.headers))
            except ConnectionFailedError as e:
                wait = tries.next_wait(e)
            time.sleep(wait)

    def _object(self, method: str, path: str, **rest: Any) -> dict[str, Any]:
        return self._load(Call(method, path, **rest))

    def _load(self, call: Call) -> dict[str, Any]:
        data = self._send(call).read()
        try:
            value = json.loads(data)
            if not isinstance(value, dict):
                raise ValueError("it is no object")
        except ValueError as e:
            raise not_json(self.server, e) from e
        return value

    def _json(self, kind: type[T], method: str, path: str, **rest: Any) -> T:
        value: T = decode(kind, self._load(Call(method, path, **rest)))
        return value

    def _items(self, item: type[T], method: str, path: str, **rest: Any) -> list[T]:
        items: list[T] = page_of(item, self._load(Call(method, path, **rest))).items
        return items

    def _list(self, item: type[T], method: str, path: str, **rest: Any) -> Listing[T]:
        return Listing(self, item, Call(method, path, **rest))

    def _text(self, method: str, path: str, **rest: Any) -> str:
        return self._send(Call(method, path, accept="text/plain", **rest)).read().decode()

    def _bytes(self, method: str, path: str, **rest: Any) -> bytes:
        return self._send(Call(method, path, accept="*/*", **rest)).read()

    def _lines(self, method: str, path: str, **rest: Any) -> Iterator[dict[str, Any]]:
        answer, lines = self._send(Call(method, path, accept="application/x-ndjson", **rest)), Lines()
        for piece in answer.pieces():
            for line in lines.feed(piece):
                if line.strip():
                    yield json.loads(line)
        for line in lines.feed(b"", True):
            yield json.loads(line)

    def _upload(self, files: UploadFile | Sequence[UploadFile], fields: Mapping[str, Any]) -> list[BatchItem]:
        raw, kind = form_of(files, fields)
        value = self._load(Call("POST", "/v1/documents/upload", raw=raw, type=kind, safe=True))
        items: list[BatchItem] = page_of(BatchItem, value).items
        return items

    def _import(self, data: Data, query: Mapping[str, Any]) -> OwnReport | Report:
        kind = "application/octet-stream"
        return report_of(self._load(Call("POST", "/v1/import", query, raw=bytes_of(data), type=kind, timeout=None)))

    def _chat(self, body: dict[str, Any]) -> ChatReply:
        reply: ChatReply = decode(ChatReply, self._load(chat_call(body, False)))
        return reply

    def _chat_stream(self, body: dict[str, Any]) -> ChatStream:
        return ChatStream(self._send(chat_call(body, True)))


class Listing(Page[T]):
    """A list that is read page by page: it is its first page, and a loop over it goes through all of them."""

    def __init__(self, caller: Caller, item: Any, call: Call) -> None:
        self._caller, self._item, self._call = caller, item, call
        self._value = caller._load(call)
        first = page_of(item, self._value)
        super().__init__(first.items, first.next_cursor, first.total)

    def pages(self) -> Iterator[Page[T]]:
        """All pages, one after the other."""
        yield self
        to = next_place(self._value)
        while to is not None:
            value = self._caller._load(moved(self._call, to))
            yield page_of(self._item, value)
            to = next_place(value)

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page.items


class ChatStream:
    """The answer of a model as it is written: pieces of text, and after the last one ``reply``."""

    def __init__(self, answer: Answer) -> None:
        self._answer, self._parser = answer, ChatParser()

    def __iter__(self) -> Iterator[str]:
        for piece in self._answer.pieces():
            yield from self._parser.feed(piece)
            if self._parser.reply is not None:
                break
        self._parser.end()

    @property
    def reply(self) -> ChatReply:
        """The same object that chat returns; the text is read to its end first."""
        if self._parser.reply is None:
            for _ in self:
                pass
        return self._parser.end()

    def close(self) -> None:
        """Stop listening."""
        self._answer.close()

    def __enter__(self) -> ChatStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncCaller:
    """Makes calls in an event loop and reads their answers."""

    def __init__(self, options: Options, transport: AsyncTransport) -> None:
        self._options = options
        self._transport = transport

    @property
    def server(self) -> str:
        """The address of the server."""
        return self._options.server

    async def _send(self, call: Call) -> AsyncAnswer:
        request, tries = request_of(self._options, call), Tries(self._options, call)
        while True:
            try:
                answer = await self._transport.send(request)
                if tries.is_answer(answer.status):
                    wait = tries.not_yet(answer.status, answer.headers)
                    if wait is None:
                        return answer
                    await answer.read()
                else:
                    wait = tries.next_wait(error_of(answer.status, await answer.read(), answer.headers))
            except ConnectionFailedError as e:
                wait = tries.next_wait(e)
            await asyncio.sleep(wait)

    async def _object(self, method: str, path: str, **rest: Any) -> dict[str, Any]:
        return await self._load(Call(method, path, **rest))

    async def _load(self, call: Call) -> dict[str, Any]:
        data = await (await self._send(call)).read()
        try:
            value = json.loads(data)
            if not isinstance(value, dict):
                raise ValueError("it is no object")
        except ValueError as e:
            raise not_json(self.server, e) from e
        return value

    async def _json(self, kind: type[T], method: str, path: str, **rest: Any) -> T:
        value: T = decode(kind, await self._load(Call(method, path, **rest)))
        return value

    async def _items(self, item: type[T], method: str, path: str, **rest: Any) -> list[T]:
        items: list[T] = page_of(item, await self._load(Call(method, path, **rest))).items
        return items

    def _list(self, item: type[T], method: str, path: str, **rest: Any) -> AsyncListing[T]:
        return AsyncListing(self, item, Call(method, path, **rest))

    async def _text(self, method: str, path: str, **rest: Any) -> str:
        return (await (await self._send(Call(method, path, accept="text/plain", **rest))).read()).decode()

    async def _bytes(self, method: str, path: str, **rest: Any) -> bytes:
        return await (await self._send(Call(method, path, accept="*/*", **rest))).read()

    async def _lines(self, method: str, path: str, **rest: Any) -> AsyncIterator[dict[str, Any]]:
        answer, lines = await self._send(Call(method, path, accept="application/x-ndjson", **rest)), Lines()
        async for piece in answer.pieces():
            for line in lines.feed(piece):
                if line.strip():
                    yield json.loads(line)
        for line in lines.feed(b"", True):
            yield json.loads(line)

    async def _upload(self, files: UploadFile | Sequence[UploadFile], fields: Mapping[str, Any]) -> list[BatchItem]:
        raw, kind = await asyncio.to_thread(form_of, files, fields)
        value = await self._load(Call("POST", "/v1/documents/upload", raw=raw, type=kind, safe=True))
        items: list[BatchItem] = page_of(BatchItem, value).items
        return items

    async def _import(self, data: Data, query: Mapping[str, Any]) -> OwnReport | Report:
        raw = await asyncio.to_thread(bytes_of, data)
        kind = "application/octet-stream"
        return report_of(await self._load(Call("POST", "/v1/import", query, raw=raw, type=kind, timeout=None)))

    async def _chat(self, body: dict[str, Any]) -> ChatReply:
        reply: ChatReply = decode(ChatReply, await self._load(chat_call(body, False)))
        return reply

    def _chat_stream(self, body: dict[str, Any]) -> AsyncChatStream:
        return AsyncChatStream(self, chat_call(body, True))


class AsyncListing(Awaitable[Page[T]], Generic[T]):
    """A list that is read page by page: await it for its first page, or go through all of it with ``async for``."""

    def __init__(self, caller: AsyncCaller, item: Any, call: Call) -> None:
        self._caller, self._item, self._call = caller, item, call

    def __await__(self) -> Generator[Any, None, Page[T]]:
        return self._first().__await__()

    async def _first(self) -> Page[T]:
        return page_of(self._item, await self._caller._load(self._call))

    async def pages(self) -> AsyncIterator[Page[T]]:
        """All pages, one after the other."""
        to: dict[str, Any] | None = {}
        while to is not None:
            value = await self._caller._load(moved(self._call, to))
            yield page_of(self._item, value)
            to = next_place(value)

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for item in page.items:
                yield item


class AsyncChatStream:
    """The answer of a model as it is written: ``async for`` gives pieces of text; after the last one ``reply`` is
    there.
    """

    def __init__(self, caller: AsyncCaller, call: Call) -> None:
        self._caller, self._call, self._parser = caller, call, ChatParser()

    async def __aiter__(self) -> AsyncIterator[str]:
        answer = await self._caller._send(self._call)
        try:
            async for piece in answer.pieces():
                for text in self._parser.feed(piece):
                    yield text
                if self._parser.reply is not None:
                    break
        finally:
            await answer.close()
        self._parser.end()

    @property
    def reply(self) -> ChatReply:
        """The same object that chat returns; read the text to its end first."""
        return self._parser.end()

    async def done(self) -> ChatReply:
        """Read the text to its end and return the reply."""
        async for _ in self:
            pass
        return self.reply
