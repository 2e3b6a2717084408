"""LangGraph: a store for what an agent keeps between threads. Needs langgraph.

    store = LukasaStore(client, container="agent")
    graph = builder.compile(store=store)

An item is a document: its text, which searches read, is that of its value; the value itself stands in the metadata.
A put of a key that
is there is a new version of the document. Items may end: ttl is in minutes, as LangGraph has it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta, timezone
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    get_text_at_path,
    tokenize_path,
)

from ._client import Lukasa
from ._decode import parse_time
from ._items import Found, Items

__all__ = ["LukasaStore"]

_MOST = 200  # results of one search


def _text(value: Mapping[str, Any], index: Any) -> str:
    """Return the text that is searched: that of the fields in index, or all of it."""
    if isinstance(index, (list, tuple)):
        return "\n".join(t for path in index for t in get_text_at_path(value, tokenize_path(path)))
    out: list[str] = []

    def walk(x: Any, name: str) -> None:
        if isinstance(x, Mapping):
            for k, v in x.items():
                walk(v, str(k))
        elif isinstance(x, (list, tuple)):
            for v in x:
                walk(v, name)
        elif x is not None:
            out.append(f"{name}: {x}" if name and not isinstance(x, str) else str(x))

    walk(value, "")
    return "\n".join(out)


def _matches(value: Mapping[str, Any], conditions: Mapping[str, Any] | None) -> bool:
    """Report whether a value fits a filter: equal values, or $eq, $ne, $gt, $gte, $lt, $lte."""
    for name, want in (conditions or {}).items():
        have = value.get(name)
        rules = want if isinstance(want, Mapping) and any(str(k).startswith("$") for k in want) else {"$eq": want}
        for op, x in rules.items():
            if op not in _RULES:
                raise ValueError(f"filter: {op} is not known; there are {', '.join(_RULES)}")
            if op in ("$eq", "$ne"):
                fits = (have == x) == (op == "$eq")
            else:
                fits = have is not None and bool(_RULES[op](have, x))
            if not fits:
                return False
    return True


_RULES: dict[str, Any] = {
    "$eq": None,
    "$ne": None,
    "$gt": lambda a, b: float(a) > float(b),
    "$gte": lambda a, b: float(a) >= float(b),
    "$lt": lambda a, b: float(a) < float(b),
    "$lte": lambda a, b: float(a) <= float(b),
}


class LukasaStore(BaseStore):
    """A store over one container. Namespaces may be of any depth and hold any text."""

    supports_ttl = True

    def __init__(self, client: Lukasa, *, container: str = "langgraph") -> None:
        self._items = Items(client, container, "langgraph")

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations. Of several puts of one key the last one counts; what is read is read before what is
        written.
        """
        ops = list(ops)
        results: list[Result] = [None] * len(ops)
        puts: dict[tuple[tuple[str, ...], str], PutOp] = {}
        for i, op in enumerate(ops):
            if isinstance(op, GetOp):
                results[i] = self._get(op)
            elif isinstance(op, SearchOp):
                results[i] = self._search(op)
            elif isinstance(op, ListNamespacesOp):
                results[i] = self._namespaces(op)
            elif isinstance(op, PutOp):
                puts[(op.namespace, op.key)] = op
            else:
                raise ValueError(f"unknown operation {type(op).__name__}")
        for put in puts.values():
            self._put(put)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _get(self, op: GetOp) -> Item | None:
        there = self._items.get([*op.namespace, op.key])
        if there is None:
            return None
        if op.refresh_ttl:
            self._refresh(there)
        return Item(**_fields(there.data))

    def _refresh(self, item: Found) -> None:
        if item.data.get("ttl"):
            self._items.touch(item.document_id, _end(item.data["ttl"]))

    def _put(self, op: PutOp) -> None:
        key = [*op.namespace, op.key]
        if op.value is None:
            self._items.delete(key)
            return
        there = self._items.get(key)
        now = datetime.now(timezone.utc).isoformat()
        data = {
            "namespace": list(op.namespace),
            "key": op.key,
            "value": json.loads(json.dumps(op.value)),
            "created_at": there.data["created_at"] if there else now,
            "updated_at": now,
            "index": op.index is not False,
            "ttl": op.ttl,
        }
        prefixes = [op.namespace[:i] for i in range(1, len(op.namespace) + 1)]
        end = _end(op.ttl) if op.ttl else None
        self._items.put(key, _text(op.value, op.index), data, prefixes=prefixes, forget_after=end)

    def _search(self, op: SearchOp) -> list[SearchItem]:
        if op.query:
            # What a filter drops is dropped from what was found, so more is looked for then.
            most = _MOST if op.filter else min(_MOST, op.offset + op.limit)
            found = self._items.search(op.query, op.namespace_prefix, most)
            hits: list[tuple[Found, float | None]] = [(f, score) for f, score in found if f.data["index"]]
        else:
            hits = [(f, None) for f in self._items.below(op.namespace_prefix)]
        hits = [(f, score) for f, score in hits if _matches(f.data["value"], op.filter)]
        hits = hits[op.offset : op.offset + op.limit]
        if op.refresh_ttl:
            for item, _ in hits:
                self._refresh(item)
        return [SearchItem(**_fields(item.data), score=score) for item, score in hits]

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        conditions = op.match_conditions or ()
        prefix: tuple[str, ...] = ()
        for c in conditions:
            if c.match_type == "prefix" and "*" not in c.path:
                prefix = tuple(c.path)
        seen: set[tuple[str, ...]] = set()
        for item in self._items.below(prefix):
            namespace = tuple(item.data["namespace"])
            if all(_fits(namespace, c) for c in conditions):
                seen.add(namespace[: op.max_depth] if op.max_depth else namespace)
        return sorted(seen)[op.offset : op.offset + op.limit]


def _fits(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    path = tuple(condition.path)
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(p in ("*", n) for p, n in zip(path, part, strict=True))


def _end(ttl: float) -> datetime:
    return datetime.now(timezone.utc) + timedelta(minutes=ttl)


def _fields(data: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "namespace": tuple(data["namespace"]),
        "key": data["key"],
        "value": data["value"],
        "created_at": parse_time(data["created_at"]),
        "updated_at": parse_time(data["updated_at"]),
    }
