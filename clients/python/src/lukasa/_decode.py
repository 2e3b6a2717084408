"""JSON to dataclasses, and values to what the server reads."""

from __future__ import annotations

import dataclasses
import functools
import re
import types
import typing
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta, timezone
from typing import Any, TypeVar, cast

T = TypeVar("T")

# ZERO_TIME stands where the server always gives a time and this answer has none.
ZERO_TIME = datetime(1, 1, 1, tzinfo=timezone.utc)

_TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:([Zz])|([+-])(\d\d):?(\d\d))?)?$"
)


def parse_time(text: str) -> datetime:
    """Read a time of RFC 3339, or a date; digits below a microsecond are cut off, and a time without a zone is UTC."""
    m = _TIME.match(text)
    if m is None:
        raise ValueError(f"{text!r} is not a time")
    year, month, day, hour, minute, second = (int(g or 0) for g in m.groups()[:6])
    zone = timezone.utc
    if m[9]:
        offset = timedelta(hours=int(m[10]), minutes=int(m[11]))
        zone = timezone(-offset if m[9] == "-" else offset)
    return datetime(year, month, day, hour, minute, second, int(((m[7] or "") + "000000")[:6]), zone)


def decode(kind: Any, value: Any) -> Any:
    """Make a value of JSON one of kind: a dataclass, list, dict, datetime or plain type."""
    return decoder(kind)(value)


@functools.cache
def decoder(kind: Any) -> Callable[[Any], Any]:
    """Return what makes values of kind; null becomes None, or the empty list or dict."""
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        inner = [a for a in args if a is not type(None)]
        if len(inner) == 1:
            one = decoder(inner[0])
            return lambda v: None if v is None else one(v)
        return lambda v: v
    if origin is list:
        item = decoder(args[0])
        return lambda v: [item(x) for x in v or ()]
    if origin is dict:
        entry = decoder(args[1])
        return lambda v: {k: entry(x) for k, x in (v or {}).items()}
    if kind is datetime:
        return lambda v: parse_time(v) if isinstance(v, str) else v
    if dataclasses.is_dataclass(kind):
        return _dataclass_decoder(cast(type, kind))
    return lambda v: v


def _dataclass_decoder(kind: type) -> Callable[[Any], Any]:
    plan: dict[str, tuple[str, Callable[[Any], Any]]] = {}

    def prepare() -> None:
        hints = typing.get_type_hints(kind)
        for f in dataclasses.fields(kind):
            if f.name != "extra":
                plan[f.name.rstrip("_")] = (f.name, decoder(hints[f.name]))

    def make(value: Any) -> Any:
        if not isinstance(value, Mapping):
            raise ValueError(f"{value!r} is no {kind.__name__}")
        if not plan:
            prepare()  # not before: a class may contain itself
        fields: dict[str, Any] = {}
        extra: dict[str, Any] = {}
        for name, x in value.items():
            known = plan.get(name)
            if known is None:
                extra[name] = x
            elif x is not None:
                fields[known[0]] = known[1](x)
        return kind(**fields, extra=extra)

    return make


def encode(value: Any) -> Any:
    """Make a value ready for JSON: times become text, tuples lists, dataclasses objects."""
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.astimezone()).isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(k): encode(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [encode(v) for v in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return encode({f.name: getattr(value, f.name) for f in dataclasses.fields(value) if f.name != "extra"})
    return value


def encode_query(value: Any) -> str:
    """Make a value ready for a query: lists have commas."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple, set, frozenset)):
        return ",".join(encode_query(v) for v in value)
    return str(encode(value))
