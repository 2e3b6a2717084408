"""Pydantic AI: tools, instructions and a message history. Needs pydantic-ai (or pydantic-ai-slim).

agent = Agent(model, toolsets=[memory_toolset(client, container="ana")])
agent.instructions(recall_instructions(client, container="ana"))

history = MessageHistory(client, "thread-1", container="ana")
result = await agent.run("Hello", message_history=await history.load())
await history.append(result.new_messages())
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from pydantic_ai import FunctionToolset, RunContext
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter, ModelRequest, ModelResponse

from ._client import AsyncLukasa
from ._history import AsyncHistory, text_of
from ._tools import recall_text, remember
from .types import NewMessage

__all__ = ["MessageHistory", "memory_toolset", "recall_instructions"]

_FIELD = "pydantic_ai"  # of the metadata: the message as it is


def memory_toolset(
    client: AsyncLukasa, *, container: str | None = None, max_tokens: int = 1000
) -> FunctionToolset[Any]:
    """Return the tools recall and remember, bound to a container."""
    toolset: FunctionToolset[Any] = FunctionToolset()

    async def recall(query: str) -> str:
        """Look up what is remembered about a question, a person or a topic.

        Args:
            query: What to look for, in plain words.
        """
        return recall_text(await client.brief(query, container=container, max_tokens=max_tokens))

    async def remember_(statement: str) -> str:
        """Keep a statement that will matter later: a fact, a preference, a decision.

        Args:
            statement: One statement that can be understood on its own.
        """
        return await remember(client, statement, container)

    toolset.add_function(recall, name="recall")
    toolset.add_function(remember_, name="remember")
    return toolset


def recall_instructions(
    client: AsyncLukasa, *, container: str | None = None, max_tokens: int = 1000
) -> Callable[[RunContext[Any]], Awaitable[str]]:
    """Return instructions that tell the model what is relevant to the prompt of a run."""

    async def instructions(context: RunContext[Any]) -> str:
        prompt = text_of(context.prompt)
        if not prompt:
            return ""
        return (await client.brief(prompt, container=container, max_tokens=max_tokens)).text

    return instructions


class MessageHistory:
    """The messages of one conversation. What is said there is found by searches and becomes memories."""

    def __init__(self, client: AsyncLukasa, conversation: str, *, container: str = "default") -> None:
        self._history = AsyncHistory(client, conversation, container)

    async def load(self, limit: int | None = None) -> list[ModelMessage]:
        """Return all messages, or the newest ones. A limit may cut a tool's call from its result: models refuse
        that.
        """
        kept = [m.metadata[_FIELD] for m in await self._history.read(limit) if _FIELD in m.metadata]
        return ModelMessagesTypeAdapter.validate_python(kept)

    async def append(self, messages: Sequence[ModelMessage]) -> None:
        """Add what new_messages() of a run returns."""
        written = json.loads(ModelMessagesTypeAdapter.dump_json(list(messages)))
        await self._history.append([_to_lukasa(m, w) for m, w in zip(messages, written, strict=True)])

    async def clear(self) -> None:
        """Remove the conversation for good, with what is known from it alone."""
        await self._history.clear()


def _to_lukasa(message: ModelMessage, written: dict[str, Any]) -> NewMessage:
    if isinstance(message, ModelResponse):
        role, kinds = "assistant", ("text",)
    elif isinstance(message, ModelRequest) and any(p.part_kind == "user-prompt" for p in message.parts):
        role, kinds = "user", ("user-prompt",)
    else:
        role, kinds = "tool", ("tool-return",)
    texts = [text_of(getattr(p, "content", "")) for p in message.parts if p.part_kind in kinds]
    return {"role": role, "content": "\n".join(t for t in texts if t), "metadata": {_FIELD: written}}
