"""What the tools recall and remember do, for all frameworks."""

from __future__ import annotations

from ._client import AsyncLukasa
from .types import Brief

NOTHING = "Nothing relevant is remembered."


def recall_text(brief: Brief) -> str:
    """Return a brief for a model."""
    return brief.text or NOTHING


async def remember(client: AsyncLukasa, statement: str, container: str | None) -> str:
    """Keep a statement and say so."""
    kept = await client.add_memory(statement, container=container)
    return f"Remembered: {kept.content}"
