"""The errors of the client."""

from __future__ import annotations

import email.utils
import json
import time
from collections.abc import Mapping
from typing import Any


class LukasaError(Exception):
    """The base of all errors of this client. ``code`` tells cases apart; ``hint`` says what to do.

    status: of HTTP; 0 without an answer
    field: the part of the request at fault, if the server names one
    request_id: stands in the server's log too; "" without an answer
    retry_after: seconds after which to come back, if the server said so
    """

    def __init__(
        self,
        message: str,
        *,
        status: int = 0,
        code: str = "",
        category: str = "",
        details: Mapping[str, Any] | None = None,
        hint: str = "",
        retryable: bool = False,
        request_id: str = "",
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"{message} ({hint})" if hint else message)
        self.message = message
        self.status = status
        self.code = code
        self.category = category
        self.details: dict[str, Any] = dict(details or {})
        self.hint = hint
        self.retryable = retryable
        self.request_id = request_id
        self.retry_after = retry_after

    @property
    def field(self) -> str:
        value = self.details.get("field", "")
        return value if isinstance(value, str) else ""


class InvalidRequestError(LukasaError):
    """The request is malformed or breaks a rule: 400, 405, 413, 415, 422."""


class AuthenticationError(LukasaError):
    """No key was sent, or it is unknown, revoked or expired: 401."""


class ForbiddenError(LukasaError):
    """The record may be seen, the act is not allowed: 403."""


class NotFoundError(LukasaError):
    """The record is absent, or not to be seen: 404."""


class ConflictError(LukasaError):
    """The request contradicts what is there: 409."""


class RateLimitError(LukasaError):
    """Too many requests with this key, after all tries: 429."""


class ServerError(LukasaError):
    """A fault of the server, or of something that it needs: 5xx."""


class ConnectionFailedError(LukasaError):
    """No answer came, or one that is not lukasa's."""


class RequestTimeoutError(ConnectionFailedError):
    """No answer came in time."""


_CLASSES: dict[int, type[LukasaError]] = {
    401: AuthenticationError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    429: RateLimitError,
}


def error_of(status: int, body: bytes, headers: Mapping[str, str]) -> LukasaError:
    """Make the error of an answer. The body may be anything: a proxy may have written it. Names of headers are
    lower case.
    """
    said: dict[str, Any] = {}
    try:
        found = json.loads(body).get("error")
        said = found if isinstance(found, dict) else {}
    except (ValueError, AttributeError):
        pass  # a proxy's page: the status has to do
    kind = _CLASSES.get(status, ServerError if status >= 500 else InvalidRequestError)
    return kind(
        str(said.get("message") or f"the server answered {status}"),
        status=status,
        code=str(said.get("code") or f"HTTP_{status}"),
        category=str(said.get("category") or ""),
        details=said.get("details") or {},
        hint=str(said.get("hint") or ""),
        retryable=bool(said.get("retryable", status == 429 or status > 501)),
        request_id=str(said.get("request_id") or headers.get("x-request-id", "")),
        retry_after=parse_retry_after(headers.get("retry-after", "")),
    )


def parse_retry_after(value: str, now: float | None = None) -> float | None:
    """Read Retry-After, which is a number of seconds or a date."""
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        at = email.utils.parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, at.timestamp() - (time.time() if now is None else now))


def is_worth_another_try(fault: LukasaError, *, safe: bool, once: bool) -> bool:
    """Report whether a refused call is made again."""
    if fault.code == "STORAGE_ERROR":  # a full disk does not empty itself
        return False
    if fault.status == 429:
        return True
    if once:
        return False
    if isinstance(fault, ConnectionFailedError):
        return safe
    if fault.status == 503:
        return fault.retryable
    return safe and fault.status in (502, 504)
