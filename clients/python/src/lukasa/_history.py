"""A conversation as the list of messages that agent frameworks keep. What role and text do not hold stands in the
metadata.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ._client import AsyncLukasa, Lukasa
from .errors import NotFoundError
from .types import Message, NewMessage

_BATCH = 1000  # messages in one call
_PAGE = 100


def text_of(content: Any) -> str:
    """Return the text of a content that is a text or a list of parts, as OpenAI, Anthropic and LangChain have them."""
    if isinstance(content, str):
        return content
    if not isinstance(content, (list, tuple)):
        return ""
    parts = []
    for part in content:
        if isinstance(part, str):
            parts.append(part)
        elif isinstance(part, Mapping) and isinstance(part.get("text"), str):
            parts.append(part["text"])
    return "\n".join(parts)


class History:
    """The messages of one conversation, oldest first. conversation: your own name for it; container: where it is
    kept.
    """

    def __init__(self, client: Lukasa, conversation: str, container: str = "default") -> None:
        self.client, self.conversation, self.container = client, conversation, container

    def read(self, limit: int | None = None) -> list[Message]:
        """Return all messages, or the newest ones if there is a limit."""
        try:
            if limit is None:
                return list(self.client.list_messages(self.conversation, container=self.container, limit=_PAGE))
            total = self.client.list_messages(self.conversation, container=self.container, limit=1).total
            out: list[Message] = []
            while limit > 0 and len(out) < min(limit, total):
                offset = max(0, total - limit) + len(out)
                page = self.client.list_messages(
                    self.conversation, container=self.container, offset=offset, limit=min(_PAGE, limit - len(out))
                )
                out += page.items
                if not page.items:
                    break
            return out
        except NotFoundError:
            return []

    def append(self, messages: Sequence[NewMessage]) -> None:
        """Add messages at the end."""
        for i in range(0, len(messages), _BATCH):
            self.client.add_messages(self.conversation, messages[i : i + _BATCH], container=self.container)

    def pop(self) -> Message | None:
        """Remove the newest message for good and return it."""
        last = self.read(1)
        if not last:
            return None
        self.client.delete_message(last[-1].id)
        return last[-1]

    def clear(self) -> None:
        """Remove the conversation for good, with what is known from it alone."""
        try:
            found = self.client.get_conversation(self.conversation, container=self.container)
            self.client.delete_conversation(found.id)
        except NotFoundError:
            pass


class AsyncHistory:
    """The messages of one conversation, oldest first, in an event loop."""

    def __init__(self, client: AsyncLukasa, conversation: str, container: str = "default") -> None:
        self.client, self.conversation, self.container = client, conversation, container

    async def read(self, limit: int | None = None) -> list[Message]:
        """Return all messages, or the newest ones if there is a limit."""
        list_messages = self.client.list_messages
        try:
            if limit is None:
                return [m async for m in list_messages(self.conversation, container=self.container, limit=_PAGE)]
            total = (await list_messages(self.conversation, container=self.container, limit=1)).total
            out: list[Message] = []
            while limit > 0 and len(out) < min(limit, total):
                offset = max(0, total - limit) + len(out)
                page = await list_messages(
                    self.conversation, container=self.container, offset=offset, limit=min(_PAGE, limit - len(out))
                )
                out += page.items
                if not page.items:
                    break
            return out
        except NotFoundError:
            return []

    async def append(self, messages: Sequence[NewMessage]) -> None:
        """Add messages at the end."""
        for i in range(0, len(messages), _BATCH):
            await self.client.add_messages(self.conversation, messages[i : i + _BATCH], container=self.container)

    async def pop(self) -> Message | None:
        """Remove the newest message for good and return it."""
        last = await self.read(1)
        if not last:
            return None
        await self.client.delete_message(last[-1].id)
        return last[-1]

    async def clear(self) -> None:
        """Remove the conversation for good, with what is known from it alone."""
        try:
            found = await self.client.get_conversation(self.conversation, container=self.container)
            await self.client.delete_conversation(found.id)
        except NotFoundError:
            pass
