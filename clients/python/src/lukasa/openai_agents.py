"""OpenAI Agents: a session that keeps the items of a conversation. Needs openai-agents.

    session = LukasaSession(client, "thread-1", container="ana")
    result = await Runner.run(agent, "Hello", session=session)

memory_tools gives an agent two tools: recall and remember.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from agents import FunctionTool, SessionSettings, function_tool
from agents.memory import SessionABC

from ._client import AsyncLukasa
from ._history import AsyncHistory, text_of
from ._tools import recall_text, remember
from .types import NewMessage

if TYPE_CHECKING:
    from agents import TResponseInputItem

__all__ = ["LukasaSession", "memory_tools"]

_FIELD = "openai"  # of the metadata: the item as it is
_PLAIN = {"role", "content"}


def to_lukasa(item: TResponseInputItem) -> NewMessage:
    """Make a message of lukasa. Calls of tools and their results have the role tool and are kept as they are."""
    fields = cast("dict[str, Any]", item)
    role, content = fields.get("role"), fields.get("content")
    if role and isinstance(content, str) and fields.keys() == _PLAIN:
        return {"role": str(role), "content": content}
    text = text_of(content)
    if not role:
        # The arguments of a call are no statement of anybody; the result of one may be worth finding.
        text = text_of(fields.get("output"))
    return {"role": str(role or "tool"), "content": text, "metadata": {_FIELD: fields}}


class LukasaSession(SessionABC):
    """The items of one conversation. What is said there is found by searches and becomes memories."""

    def __init__(
        self,
        client: AsyncLukasa,
        session_id: str,
        *,
        container: str = "default",
        session_settings: SessionSettings | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings or SessionSettings()
        self._history = AsyncHistory(client, session_id, container)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        messages = await self._history.read(limit)
        items = [m.metadata.get(_FIELD) or {"role": m.role, "content": m.content} for m in messages]
        return cast("list[TResponseInputItem]", items)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        await self._history.append([to_lukasa(i) for i in items])

    async def pop_item(self) -> TResponseInputItem | None:
        last = await self._history.pop()
        if last is None:
            return None
        item = last.metadata.get(_FIELD) or {"role": last.role, "content": last.content}
        return cast("TResponseInputItem", item)

    async def clear_session(self) -> None:
        await self._history.clear()


def memory_tools(
    client: AsyncLukasa, *, container: str | None = None, max_tokens: int = 1000
) -> list[FunctionTool]:
    """Return the tools recall and remember, bound to a container."""

    @function_tool(name_override="recall", use_docstring_info=True)
    async def recall(query: str) -> str:
        """Look up what is remembered about a question, a person or a topic.

        Args:
            query: What to look for, in plain words.
        """
        return recall_text(await client.brief(query, container=container, max_tokens=max_tokens))

    @function_tool(name_override="remember", use_docstring_info=True)
    async def remember_(statement: str) -> str:
        """Keep a statement that will matter later: a fact, a preference, a decision.

        Args:
            statement: One statement that can be understood on its own.
        """
        return await remember(client, statement, container)

    return [recall, remember_]
