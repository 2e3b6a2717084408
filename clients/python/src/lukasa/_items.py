"""Items under keys, each kept as one document: what a store of keys and values needs of lukasa.

An item's data stands in the document's metadata; the document's text is what searches read. Equal texts in one
container are one document,
so the text ends with a line that no other item has.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ._client import Lukasa
from .types import Document


def digest(parts: Sequence[str]) -> str:
    """Return a short name for a list of texts that no other list has."""
    return hashlib.sha256(json.dumps(list(parts), ensure_ascii=False).encode()).hexdigest()[:32]


@dataclass
class Found:
    """An item that is there."""

    document_id: str
    data: dict[str, Any]


class Items:
    """The items of one kind in one container. field: the name of the metadata that holds their data."""

    def __init__(self, client: Lukasa, container: str, field: str) -> None:
        self.client, self.container, self.field = client, container, field

    def tag(self, prefix: Sequence[str] = ()) -> str:
        """Return the tag of all items below a prefix."""
        return f"{self.field}:{digest(prefix)}" if prefix else self.field

    def get(self, key: Sequence[str]) -> Found | None:
        page = self.client.list_documents(
            container=self.container, custom_id=f"{self.field}:{digest(key)}", limit=1
        )
        return self._found(page.items[0]) if page.items else None

    def _found(self, document: Document) -> Found:
        return Found(document.id, document.metadata[self.field])

    def put(
        self,
        key: Sequence[str],
        text: str,
        data: Mapping[str, Any],
        *,
        prefixes: Sequence[Sequence[str]] = (),
        forget_after: datetime | None = None,
        title: str | None = None,
    ) -> None:
        """Keep an item; one that is there gets a new version. text: what searches read; prefixes: what it is listed
        below.
        """
        tags = [self.tag(), *(self.tag(p) for p in prefixes if p)]
        metadata = {self.field: dict(data)}
        saved = self.client.add_document(
            "\n\n".join(t for t in (text, "/".join(key)) if t),
            container=self.container,
            content_type="text",
            custom_id=f"{self.field}:{digest(key)}",
            title=(title or key[-1])[:500],
            tags=tags,
            metadata=metadata,
            forget_after=forget_after,
            source="agent",
        )
        if saved.deduplicated:  # the same text: what stands beside it may be new
            self.client.update_document(saved.id, metadata=metadata, tags=tags, forget_after=forget_after)

    def touch(self, document_id: str, forget_after: datetime) -> None:
        """Put off the end of an item."""
        self.client.update_document(document_id, forget_after=forget_after)

    def delete(self, key: Sequence[str]) -> bool:
        """Remove an item for good, with its earlier versions; report whether it was there."""
        there = self.get(key)
        if there is None:
            return False
        for version in list(self.client.list_versions(there.document_id)):  # newest first
            self.client.delete_document(version.id)
        return True

    def below(self, prefix: Sequence[str] = ()) -> Iterator[Found]:
        """All items below a prefix, newest first."""
        for document in self.client.find_documents(container=self.container, tags=[self.tag(prefix)], limit=100):
            yield self._found(document)

    def search(self, query: str, prefix: Sequence[str] = (), limit: int = 10) -> list[tuple[Found, float]]:
        """Find items below a prefix with their relevance, the most relevant first."""
        found = self.client.search(
            query, container=self.container, tags=[self.tag(prefix)], types=["document", "chunk"], limit=limit
        )
        out = []
        seen: set[str] = set()
        for hit in found:
            if hit.document and self.field in hit.metadata and hit.document.id not in seen:
                seen.add(hit.document.id)
                out.append((Found(hit.document.id, hit.metadata[self.field]), hit.relevance))
        return out
