"""Servers for the tests: the real binary, or one that answers as a test says."""

from __future__ import annotations

import http.server
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

KEY = "sk_test_0123456789abcdef0123456789abcdef"


class Real:
    """The binary that LUKASA_TEST_BINARY names, on a data directory of its own."""

    def __init__(self, **env: str) -> None:
        binary = os.environ.get("LUKASA_TEST_BINARY")
        if not binary:
            raise RuntimeError("set LUKASA_TEST_BINARY to the server's binary")
        self.data = tempfile.mkdtemp(prefix="lukasa-py-")
        self.key = KEY
        settings = {"LUKASA_RATE_LIMIT": "0", "LUKASA_API_KEY": KEY, "LUKASA_LOG_LEVEL": "error", **env}
        command = [binary, "serve", "--data", self.data, "--listen", "127.0.0.1:0"]
        self.process = subprocess.Popen(
            command, env={**os.environ, **settings}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                self.server = json.loads(pathlib.Path(self.data, "server.json").read_text())["address"]
                with urllib.request.urlopen(self.server + "/ready"):
                    return
            except (OSError, ValueError):
                time.sleep(0.02)
        self.stop()
        raise RuntimeError("the server did not start")

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.data, ignore_errors=True)


@dataclass
class Seen:
    """A request that came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    at: float


class Fake:
    """A server whose handle(handler, n) answers the n-th request, counted from 1; log has what came."""

    def __init__(self, handle: Callable[[Any, int], None]) -> None:
        log: list[Seen] = []
        self.log = log
        self.connections = 0
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                outer.connections += 1
                super().setup()

            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                headers = {k.lower(): v for k, v in self.headers.items()}
                log.append(Seen(self.command, self.path, headers, body, time.monotonic()))
                handle(self, len(log))

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

            def log_message(self, *args: object) -> None:
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *args: object) -> None:
                pass  # clients that go away are what is tested

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def send_json(handler: Any, status: int, value: Any, **headers: str) -> None:
    body = json.dumps(value).encode()
    handler.send_response(status)
    handler.send_header("content-type", "application/json")
    handler.send_header("content-length", str(len(body)))
    for name, text in headers.items():
        handler.send_header(name.replace("_", "-"), text)
    handler.end_headers()
    handler.wfile.write(body)


def send_fault(handler: Any, status: int, code: str, retryable: bool = False, **headers: str) -> None:
    error = {
        "code": code,
        "message": "no",
        "category": "x",
        "details": {},
        "retryable": retryable,
        "request_id": "r1",
    }
    send_json(handler, status, {"error": error}, **headers)


def send_stream(handler: Any, *pieces: str, kind: str = "text/event-stream", pause: float = 0.01) -> None:
    """Send pieces and close the connection."""
    handler.send_response(200)
    handler.send_header("content-type", kind)
    handler.send_header("connection", "close")
    handler.end_headers()
    for piece in pieces:
        handler.wfile.write(piece.encode())
        handler.wfile.flush()
        time.sleep(pause)
    handler.close_connection = True
