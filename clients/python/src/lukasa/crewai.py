"""CrewAI: a memory for crews and agents. Needs crewai.

    crew = Crew(agents=[…], tasks=[…], memory=LukasaMemory(client=client, container="crew"))

Nothing here asks a model: what is remembered is kept as it is, lukasa draws memories from it, and recall is one search.
"""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Any, Literal

from crewai.memory.types import MemoryMatch, MemoryRecord
from crewai.memory.unified_memory import Memory
from pydantic import ConfigDict, Field

from ._client import Lukasa
from ._items import digest
from .types import FoundHit

__all__ = ["LukasaMemory"]

_FIELD = "crewai"  # of the metadata
_MOST = 200


def _tags(scope: str) -> list[str]:
    parts = [p for p in scope.split("/") if p]
    return [_FIELD, *(f"{_FIELD}:{digest(parts[:i])}" for i in range(1, len(parts) + 1))]


def _join(root: str | None, scope: str | None) -> str:
    parts = [p for text in (root, scope) for p in (text or "").split("/") if p]
    return "/" + "/".join(parts)


class _NoStorage:
    """Stands where CrewAI has a store of vectors; lukasa has its own."""

    def __getattr__(self, name: str) -> Any:
        raise NotImplementedError(
            f"{name}: LukasaMemory has remember, recall, forget and reset; ask the client for more"
        )


class LukasaMemory(Memory):
    """Memory of a crew, kept in a container. A scope is a path within it, like /crew/research."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    client: Lukasa = Field(exclude=True)
    container: str = "crewai"
    storage: Any = Field(default_factory=_NoStorage, exclude=True)

    def remember(
        self,
        content: str,
        scope: str | None = None,
        categories: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        importance: float | None = None,
        source: str | None = None,
        private: bool = False,
        agent_role: str | None = None,
        root_scope: str | None = None,
    ) -> MemoryRecord | None:
        """Keep a text; None if this memory is read-only."""
        if self.read_only:
            return None
        place = _join(root_scope if root_scope is not None else self.root_scope, scope)
        kept = {
            "scope": place,
            "categories": categories or [],
            "importance": self.default_importance if importance is None else importance,
            "source": source,
            "private": private,
            "agent_role": agent_role,
        }
        saved = self.client.add_document(
            content,
            container=self.container,
            content_type="text",
            tags=[*_tags(place), *(categories or [])],
            metadata={**(metadata or {}), _FIELD: kept},
            source="agent",
        )
        return _record(saved.id, content, kept, metadata or {}, saved.created_at)

    def remember_many(
        self,
        contents: list[str],
        scope: str | None = None,
        categories: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        importance: float | None = None,
        source: str | None = None,
        private: bool = False,
        agent_role: str | None = None,
        root_scope: str | None = None,
    ) -> list[MemoryRecord]:
        """Keep several texts. They are kept when this returns."""
        records = [
            self.remember(c, scope, categories, metadata, importance, source, private, agent_role, root_scope)
            for c in contents
        ]
        return [r for r in records if r is not None]

    def extract_memories(self, content: str) -> list[str]:
        """Return the text as it is: lukasa draws memories from it by itself."""
        return [content] if content.strip() else []

    def recall(
        self,
        query: str,
        scope: str | None = None,
        categories: list[str] | None = None,
        limit: int = 10,
        depth: Literal["shallow", "deep"] = "deep",
        source: str | None = None,
        include_private: bool = False,
    ) -> list[MemoryMatch]:
        """Find what is relevant. depth is not needed: there is one way, and it asks no model."""
        tags = _tags(_join(self.root_scope, scope))[-1:]
        found = self.client.search(
            query, container=self.container, tags=tags, types=["document", "chunk"], limit=_MOST
        )
        out: list[MemoryMatch] = []
        for hit in found:
            kept = hit.metadata.get(_FIELD) or {}
            hidden = (
                kept.get("private") and not include_private and (source is None or kept.get("source") != source)
            )
            if hidden or (categories and not set(categories) & set(kept.get("categories", []))):
                continue
            if len(out) == limit:
                break
            out.append(MemoryMatch(record=_of_hit(hit), score=hit.relevance, match_reasons=["lukasa"]))
        return out

    def forget(
        self,
        scope: str | None = None,
        categories: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
        record_ids: list[str] | None = None,
    ) -> int:
        """Remove for good what fits all that is given; return how many."""
        gone = 0
        for document in list(self._below(scope)):
            kept = document.metadata.get(_FIELD) or {}
            fits = (
                (record_ids is None or document.id in record_ids)
                and (not categories or bool(set(categories) & set(kept.get("categories", []))))
                and (older_than is None or document.created_at < older_than.astimezone())
                and all(document.metadata.get(k) == v for k, v in (metadata_filter or {}).items())
            )
            if fits:
                self.client.delete_document(document.id)
                gone += 1
        return gone

    def reset(self, scope: str | None = None) -> None:
        """Remove everything below a scope for good; without one everything below the root scope."""
        self.forget(scope)

    def _below(self, scope: str | None) -> Any:
        tags = _tags(_join(self.root_scope, scope))[-1:]
        return self.client.find_documents(container=self.container, tags=tags, limit=100)

    async def aremember(self, content: str, *args: Any, **options: Any) -> MemoryRecord | None:
        return await asyncio.to_thread(self.remember, content, *args, **options)

    async def aremember_many(self, contents: list[str], *args: Any, **options: Any) -> list[MemoryRecord]:
        return await asyncio.to_thread(self.remember_many, contents, *args, **options)

    async def arecall(self, query: str, *args: Any, **options: Any) -> list[MemoryMatch]:
        return await asyncio.to_thread(self.recall, query, *args, **options)

    def reset_all(self) -> None:
        self.reset()

    def drain_writes(self) -> None:
        """Nothing waits: a write is kept when its call returns."""


def _record(
    record_id: str, content: str, kept: dict[str, Any], metadata: dict[str, Any], created: datetime
) -> MemoryRecord:
    return MemoryRecord(
        id=record_id,
        content=content,
        scope=kept.get("scope") or "/",
        categories=kept.get("categories") or [],
        metadata=metadata,
        importance=kept.get("importance") or 0.5,
        created_at=created.replace(tzinfo=None),
        last_accessed=created.replace(tzinfo=None),
        source=kept.get("source"),
        private=bool(kept.get("private")),
    )


def _of_hit(hit: FoundHit) -> MemoryRecord:
    kept = dict(hit.metadata.get(_FIELD) or {})
    rest = {k: v for k, v in hit.metadata.items() if k != _FIELD}
    return _record(hit.document.id if hit.document else hit.id, hit.content, kept, rest, hit.created_at)
