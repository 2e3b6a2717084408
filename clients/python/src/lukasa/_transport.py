"""How bytes go to a server and back: over the standard library, or over httpx where it is installed.

A transport sends one request and returns an answer whose body can be read whole or in pieces. It raises
RequestTimeoutError or
ConnectionFailedError when no answer came; a status is never an error here.
"""

from __future__ import annotations

import asyncio
import base64
import concurrent.futures
import contextlib
import http.client
import importlib.util
import select
import socket
import ssl
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from .errors import ConnectionFailedError, RequestTimeoutError

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")

_IDLE = 30.0  # seconds after which an idle connection is not used again
_PIECE = 64 << 10


@dataclass
class Request:
    """A request as it goes out. timeout: seconds that each step may take; None lifts the limit."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None
    timeout: float | None


class Answer(Protocol):
    """An answer; names of headers are lower case. It has to be read to its end or closed."""

    status: int
    headers: Mapping[str, str]

    def read(self) -> bytes: ...
    def pieces(self) -> Iterator[bytes]: ...
    def close(self) -> None: ...


class Transport(Protocol):
    """Sends requests; safe to be used by several threads."""

    def send(self, request: Request) -> Answer: ...
    def close(self) -> None: ...


class AsyncAnswer(Protocol):
    """An answer in an event loop."""

    status: int
    headers: Mapping[str, str]

    async def read(self) -> bytes: ...
    def pieces(self) -> AsyncIterator[bytes]: ...
    async def close(self) -> None: ...


class AsyncTransport(Protocol):
    """Sends requests in an event loop."""

    async def send(self, request: Request) -> AsyncAnswer: ...
    async def close(self) -> None: ...


def has_httpx() -> bool:
    """Report whether httpx is installed."""
    return importlib.util.find_spec("httpx") is not None


def no_answer(url: str, cause: BaseException) -> ConnectionFailedError:
    """Word that a server could not be reached."""
    at = "{0.scheme}://{0.netloc}".format(urllib.parse.urlsplit(url))
    if isinstance(cause, TimeoutError) or type(cause).__name__.endswith("Timeout"):
        return RequestTimeoutError(f"no answer from {at} in time", code="TIMEOUT", retryable=True)
    return ConnectionFailedError(
        f"no answer from the server at {at}",
        hint="is it running? `lukasa serve` starts one",
        code="UNAVAILABLE",
        retryable=True,
    )


_FAULTS = (OSError, http.client.HTTPException)


class StandardTransport:
    """Speaks HTTP with the standard library, over connections that are kept. HTTP_PROXY, HTTPS_PROXY and NO_PROXY
    count.
    """

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        self._context = context
        self._idle: dict[str, list[tuple[float, http.client.HTTPConnection]]] = {}
        self._lock = threading.Lock()

    def send(self, request: Request) -> StandardAnswer:
        to = urllib.parse.urlsplit(request.url)
        at = f"{to.scheme}://{to.netloc}"
        path = urllib.parse.urlunsplit(("", "", to.path or "/", to.query, ""))
        connection, whole = self._take(at, request.timeout)
        try:
            headers = dict(request.headers)
            if request.body is None and request.method not in ("GET", "DELETE"):
                headers["content-length"] = "0"
            if whole is not None:
                headers.update(whole)
                path = request.url
            connection.request(request.method, path, request.body, headers)
            sock = connection.sock
            response = connection.getresponse()
        except _FAULTS as e:
            connection.close()
            raise no_answer(request.url, e) from e
        return StandardAnswer(self, at, connection, sock, response, request.url)

    def _take(self, at: str, timeout: float | None) -> tuple[http.client.HTTPConnection, dict[str, str] | None]:
        """Return a connection; with headers for the proxy if whole addresses have to be sent over it."""
        to = urllib.parse.urlsplit(at)
        proxy = None
        if not urllib.request.proxy_bypass(to.hostname or ""):
            proxy = urllib.request.getproxies().get(to.scheme)
        with self._lock:
            idle = self._idle.get(at, [])
            while idle:
                since, connection = idle.pop()
                if time.monotonic() - since < _IDLE and not _dropped(connection):
                    connection.timeout = timeout
                    connection.sock.settimeout(timeout)
                    return connection, _credentials(proxy) if proxy and to.scheme == "http" else None
                connection.close()
        if not proxy:
            return self._connect(to.scheme, to.hostname, to.port, timeout), None
        via = urllib.parse.urlsplit(proxy if "//" in proxy else "//" + proxy)
        if to.scheme == "http":
            return self._connect("http", via.hostname, via.port or 80, timeout), _credentials(proxy)
        connection = self._connect("https", via.hostname, via.port or 80, timeout)
        connection.set_tunnel(to.hostname or "", to.port or 443, _credentials(proxy))
        return connection, None

    def _connect(
        self, scheme: str, host: str | None, port: int | None, timeout: float | None
    ) -> http.client.HTTPConnection:
        if scheme == "https":
            context = self._context or ssl.create_default_context()
            return http.client.HTTPSConnection(host or "", port, timeout=timeout, context=context)
        return http.client.HTTPConnection(host or "", port, timeout=timeout)

    def give_back(self, at: str, connection: http.client.HTTPConnection) -> None:
        """Keep a connection whose answer was read to its end."""
        if connection.sock is None:
            return
        with self._lock:
            self._idle.setdefault(at, []).append((time.monotonic(), connection))

    def close(self) -> None:
        with self._lock:
            for kept in self._idle.values():
                for _, connection in kept:
                    connection.close()
            self._idle.clear()


def _dropped(connection: http.client.HTTPConnection) -> bool:
    """Report whether the other side has closed an idle connection: then there is something to read."""
    if connection.sock is None:
        return True
    try:
        return bool(select.select([connection.sock], [], [], 0)[0])
    except (OSError, ValueError):
        return True


def _credentials(proxy: str) -> dict[str, str]:
    via = urllib.parse.urlsplit(proxy if "//" in proxy else "//" + proxy)
    if via.username is None:
        return {}
    pair = f"{urllib.parse.unquote(via.username)}:{urllib.parse.unquote(via.password or '')}"
    return {"Proxy-Authorization": "Basic " + base64.b64encode(pair.encode()).decode()}


class StandardAnswer:
    """An answer over the standard library."""

    def __init__(
        self,
        transport: StandardTransport,
        at: str,
        connection: http.client.HTTPConnection,
        sock: socket.socket,
        response: http.client.HTTPResponse,
        url: str,
    ) -> None:
        self.status = response.status
        self.headers: Mapping[str, str] = {k.lower(): v for k, v in response.getheaders()}
        self._transport, self._at, self._connection, self._sock = transport, at, connection, sock
        self._response, self._url, self._done = response, url, False

    def read(self) -> bytes:
        try:
            data = self._response.read()
        except _FAULTS as e:
            self.close()
            raise no_answer(self._url, e) from e
        self._end()
        return data

    def pieces(self) -> Iterator[bytes]:
        try:
            while piece := self._read_some():
                yield piece
            self._end()
        finally:
            self.close()

    def _read_some(self) -> bytes:
        try:
            return self._response.read1(_PIECE)
        except (*_FAULTS, ValueError, AttributeError) as e:  # the last two: closed by another thread
            raise no_answer(self._url, e) from e

    def _end(self) -> None:
        if not self._done:
            self._done = True
            self._transport.give_back(self._at, self._connection)

    def close(self) -> None:
        if self._done:
            return
        self._done = True
        with contextlib.suppress(OSError, AttributeError):
            self._sock.shutdown(socket.SHUT_RDWR)  # wakes a thread that reads
        self._connection.close()


class HttpxTransport:
    """Speaks HTTP with httpx."""

    def __init__(self, client: httpx.Client | None = None) -> None:
        import httpx

        self._httpx = httpx
        self._client = client or httpx.Client(timeout=None)

    def send(self, request: Request) -> HttpxAnswer:
        out = self._client.build_request(
            request.method,
            request.url,
            headers=dict(request.headers),
            content=request.body,
            timeout=request.timeout,
        )
        try:
            return HttpxAnswer(self._client.send(out, stream=True), self._httpx, request.url)
        except self._httpx.HTTPError as e:
            raise no_answer(request.url, e) from e

    def close(self) -> None:
        self._client.close()


class HttpxAnswer:
    """An answer over httpx."""

    def __init__(self, response: httpx.Response, module: Any, url: str) -> None:
        self.status = response.status_code
        self.headers: Mapping[str, str] = {k.lower(): v for k, v in response.headers.items()}
        self._response, self._httpx, self._url = response, module, url

    def read(self) -> bytes:
        try:
            return self._response.read()
        except (self._httpx.HTTPError, self._httpx.StreamError) as e:
            raise no_answer(self._url, e) from e
        finally:
            self._response.close()

    def pieces(self) -> Iterator[bytes]:
        try:
            yield from self._response.iter_bytes()
        except (self._httpx.HTTPError, self._httpx.StreamError) as e:
            raise no_answer(self._url, e) from e
        finally:
            self._response.close()

    def close(self) -> None:
        self._response.close()


class AsyncHttpxTransport:
    """Speaks HTTP with httpx in an event loop."""

    def __init__(self, client: httpx.AsyncClient | None = None) -> None:
        import httpx

        self._httpx = httpx
        self._client = client or httpx.AsyncClient(timeout=None)

    async def send(self, request: Request) -> AsyncHttpxAnswer:
        out = self._client.build_request(
            request.method,
            request.url,
            headers=dict(request.headers),
            content=request.body,
            timeout=request.timeout,
        )
        try:
            return AsyncHttpxAnswer(await self._client.send(out, stream=True), self._httpx, request.url)
        except self._httpx.HTTPError as e:
            raise no_answer(request.url, e) from e

    async def close(self) -> None:
        await self._client.aclose()


class AsyncHttpxAnswer:
    """An answer over httpx in an event loop."""

    def __init__(self, response: httpx.Response, module: Any, url: str) -> None:
        self.status = response.status_code
        self.headers: Mapping[str, str] = {k.lower(): v for k, v in response.headers.items()}
        self._response, self._httpx, self._url = response, module, url

    async def read(self) -> bytes:
        try:
            return await self._response.aread()
        except (self._httpx.HTTPError, self._httpx.StreamError) as e:
            raise no_answer(self._url, e) from e
        finally:
            await self._response.aclose()

    async def pieces(self) -> AsyncIterator[bytes]:
        try:
            async for piece in self._response.aiter_bytes():
                yield piece
        except (self._httpx.HTTPError, self._httpx.StreamError) as e:
            raise no_answer(self._url, e) from e
        finally:
            await self._response.aclose()

    async def close(self) -> None:
        await self._response.aclose()


class ThreadTransport:
    """Speaks HTTP with the standard library in threads, for an event loop without httpx. Each open stream holds a
    thread.
    """

    def __init__(self, transport: StandardTransport | None = None) -> None:
        self._transport = transport or StandardTransport()
        self._threads = concurrent.futures.ThreadPoolExecutor(64, thread_name_prefix="lukasa")

    async def send(self, request: Request) -> ThreadAnswer:
        job = self._threads.submit(self._transport.send, request)
        try:
            answer = await asyncio.wrap_future(job)
        except asyncio.CancelledError:
            job.add_done_callback(_close_result)
            raise
        return ThreadAnswer(answer, self._threads)

    async def close(self) -> None:
        self._transport.close()
        self._threads.shutdown(wait=False)


def _close_result(job: concurrent.futures.Future[StandardAnswer]) -> None:
    if not job.cancelled() and job.exception() is None:
        job.result().close()


class ThreadAnswer:
    """An answer that threads read."""

    def __init__(self, answer: StandardAnswer, threads: concurrent.futures.Executor) -> None:
        self.status = answer.status
        self.headers: Mapping[str, str] = answer.headers
        self._answer, self._threads = answer, threads

    async def read(self) -> bytes:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, self._answer.read)
        except asyncio.CancelledError:
            self._answer.close()
            raise

    async def pieces(self) -> AsyncIterator[bytes]:
        loop = asyncio.get_running_loop()
        rest = self._answer.pieces()
        try:
            while piece := await loop.run_in_executor(self._threads, next, rest, b""):
                yield piece
        finally:
            self._answer.close()

    async def close(self) -> None:
        self._answer.close()
