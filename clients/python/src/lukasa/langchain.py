"""LangChain: a chat history and a retriever. Needs langchain-core.

    history = LukasaChatMessageHistory(client, "thread-1", container="ana")
    chain = RunnableWithMessageHistory(chain, lambda session: LukasaChatMessageHistory(client, session))
    retriever = LukasaRetriever(client=client, container="ana", k=5)

The classic memory with load_memory_variables, save_context and clear is in lukasa.langchain_classic.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.documents import Document
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    message_to_dict,
    messages_from_dict,
)
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field

from ._client import AsyncLukasa, Lukasa
from ._history import History, text_of
from .types import Found, Message, NewMessage

__all__ = ["LukasaChatMessageHistory", "LukasaRetriever"]

_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "tool"}
_PLAIN: dict[str, type[BaseMessage]] = {"user": HumanMessage, "assistant": AIMessage, "system": SystemMessage}
_FIELD = "langchain"  # of the metadata: the message as LangChain writes it


def to_lukasa(message: BaseMessage) -> NewMessage:
    """Make a message of lukasa; what role and text do not hold goes into the metadata."""
    role = _ROLES.get(message.type) or str(getattr(message, "role", message.type))
    out: NewMessage = {"role": role, "content": text_of(message.content)}
    plain = _PLAIN.get(role)
    if plain is None or message_to_dict(message) != message_to_dict(plain(content=str(out["content"]))):
        out["metadata"] = {_FIELD: message_to_dict(message)}
    if message.name:
        out["speaker"] = message.name
    return out


def from_lukasa(message: Message) -> BaseMessage:
    """Make a message of LangChain."""
    kept = message.metadata.get(_FIELD)
    if kept:
        return messages_from_dict([kept])[0]
    return _PLAIN.get(message.role, HumanMessage)(content=message.content)


class LukasaChatMessageHistory(BaseChatMessageHistory):
    """The messages of one conversation. What is said there is found by searches and becomes memories.

    conversation: your own name for it
    container: where it is kept
    limit: only the newest so many messages are given back; all without it
    """

    def __init__(
        self, client: Lukasa, conversation: str, *, container: str = "default", limit: int | None = None
    ) -> None:
        self._history = History(client, conversation, container)
        self._limit = limit

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]
        return [from_lukasa(m) for m in self._history.read(self._limit)]

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        self._history.append([to_lukasa(m) for m in messages])

    def clear(self) -> None:
        self._history.clear()


def documents_of(found: Found) -> list[Document]:
    """Make documents of LangChain of what was found."""
    out = []
    for hit in found:
        facts: dict[str, Any] = {
            **hit.metadata,
            "lukasa_id": hit.id,
            "type": hit.type,
            "container": hit.container,
            "score": hit.score,
            "relevance": hit.relevance,
            "tags": hit.tags,
        }
        if hit.document:
            facts.update(document_id=hit.document.id, title=hit.document.title, source=hit.document.source_url)
        if hit.message:
            facts.update(conversation=hit.message.conversation, role=hit.message.role)
        if hit.occurred_at:
            facts["occurred_at"] = hit.occurred_at.isoformat()
        out.append(Document(id=hit.id, page_content=hit.content, metadata=facts))
    return out


class LukasaRetriever(BaseRetriever):
    """Finds what is relevant to a query.

    client: asked by invoke, and by ainvoke in a thread where there is no async_client
    k: how many results at most
    options: more fields of the search, such as filters, ranker or threshold
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    client: Lukasa | None = None
    async_client: AsyncLukasa | None = None
    container: str | list[str] | None = None
    k: int = 10
    options: dict[str, Any] = Field(default_factory=dict)

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        if self.client is None:
            raise ValueError("client: is missing; LukasaRetriever(client=Lukasa(…)) works without an event loop")
        return documents_of(self.client.search(query, container=self.container, limit=self.k, **self.options))

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        if self.async_client is None:
            return await super()._aget_relevant_documents(query, run_manager=run_manager)
        found = await self.async_client.search(query, container=self.container, limit=self.k, **self.options)
        return documents_of(found)
