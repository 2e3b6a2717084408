"""LlamaIndex: a retriever, a chat store and a memory block. Needs llama-index-core.

retriever = LukasaRetriever(client, container="ana", similarity_top_k=5)
memory = ChatMemoryBuffer.from_defaults(chat_store=LukasaChatStore(client=client), chat_store_key="thread-1")
memory = Memory.from_defaults(memory_blocks=[LukasaMemoryBlock(client=async_client, container="ana")])
"""

from __future__ import annotations

from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.memory import BaseMemoryBlock
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from llama_index.core.storage.chat_store.base import BaseChatStore
from pydantic import ConfigDict

from ._client import AsyncLukasa, Lukasa
from ._history import History
from .types import Found, Message, NewMessage

__all__ = ["LukasaChatStore", "LukasaMemoryBlock", "LukasaRetriever"]

_FIELD = "llama_index"  # of the metadata: the message as it is


def to_lukasa(message: ChatMessage) -> NewMessage:
    """Make a message of lukasa; what role and text do not hold goes into the metadata."""
    text = message.content or ""
    out: NewMessage = {"role": message.role.value, "content": text}
    written = message.model_dump(mode="json")
    if written != ChatMessage(role=message.role, content=text).model_dump(mode="json"):
        out["metadata"] = {_FIELD: written}
    return out


def from_lukasa(message: Message) -> ChatMessage:
    """Make a message of LlamaIndex."""
    if _FIELD in message.metadata:
        return ChatMessage.model_validate(message.metadata[_FIELD])
    known = {r.value for r in MessageRole}
    role = MessageRole(message.role) if message.role in known else MessageRole.USER
    return ChatMessage(role=role, content=message.content)


def nodes_of(found: Found) -> list[NodeWithScore]:
    """Make nodes of what was found."""
    out = []
    for hit in found:
        facts: dict[str, Any] = {**hit.metadata, "type": hit.type, "container": hit.container}
        if hit.document:
            facts.update(document_id=hit.document.id, title=hit.document.title)
        if hit.message:
            facts.update(conversation=hit.message.conversation, role=hit.message.role)
        out.append(NodeWithScore(node=TextNode(id_=hit.id, text=hit.content, metadata=facts), score=hit.score))
    return out


class LukasaRetriever(BaseRetriever):
    """Finds what is relevant to a query. options: more fields of the search, such as filters, ranker or threshold."""

    def __init__(
        self,
        client: Lukasa,
        *,
        async_client: AsyncLukasa | None = None,
        container: str | None = None,
        similarity_top_k: int = 10,
        **options: Any,
    ) -> None:
        super().__init__()
        self._client, self._async_client = client, async_client
        self._search = {"container": container, "limit": similarity_top_k, **options}

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return nodes_of(self._client.search(query_bundle.query_str, **self._search))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        if self._async_client is None:
            return await super()._aretrieve(query_bundle)
        return nodes_of(await self._async_client.search(query_bundle.query_str, **self._search))


class LukasaChatStore(BaseChatStore):
    """Chat messages under keys; each key is a conversation of the container."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    client: Lukasa
    container: str = "default"

    @classmethod
    def class_name(cls) -> str:
        return "LukasaChatStore"

    def _of(self, key: str) -> History:
        return History(self.client, key, self.container)

    def set_messages(self, key: str, messages: list[ChatMessage]) -> None:
        """Make messages the whole conversation. What is there already, in the same order, stays as it is."""
        history = self._of(key)
        there, new = history.read(), [to_lukasa(m) for m in messages]
        same = 0
        while same < min(len(there), len(new)) and _equal(there[same], new[same]):
            same += 1
        if same == 0 and there:
            history.clear()
        else:
            for message in reversed(there[same:]):
                self.client.delete_message(message.id)
        history.append(new[same:])

    def get_messages(self, key: str) -> list[ChatMessage]:
        return [from_lukasa(m) for m in self._of(key).read()]

    def add_message(self, key: str, message: ChatMessage) -> None:
        self._of(key).append([to_lukasa(message)])

    def delete_messages(self, key: str) -> list[ChatMessage] | None:
        messages = self.get_messages(key)
        self._of(key).clear()
        return messages or None

    def delete_message(self, key: str, idx: int) -> ChatMessage | None:
        messages = self._of(key).read()
        if not -len(messages) <= idx < len(messages):
            return None
        self.client.delete_message(messages[idx].id)
        return from_lukasa(messages[idx])

    def delete_last_message(self, key: str) -> ChatMessage | None:
        last = self._of(key).pop()
        return from_lukasa(last) if last else None

    def get_keys(self) -> list[str]:
        return [c.conversation for c in self.client.list_conversations(container=self.container + "!", limit=100)]


def _equal(there: Message, new: NewMessage) -> bool:
    kept = there.metadata.get(_FIELD)
    return (
        there.role == new["role"]
        and there.content == new["content"]
        and kept == new.get("metadata", {}).get(_FIELD)
    )


class LukasaMemoryBlock(BaseMemoryBlock[str]):
    """A block of LlamaIndex's Memory: what leaves the short-term memory is kept, and what is relevant comes back."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    name: str = "lukasa"
    client: AsyncLukasa
    container: str = "default"
    conversation: str = "llama-index"
    max_tokens: int = 1000

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        said = [m.content for m in messages or [] if m.role == MessageRole.USER and m.content]
        if not said:
            return ""
        return (await self.client.brief(said[-1], container=self.container, max_tokens=self.max_tokens)).text

    async def _aput(self, messages: list[ChatMessage]) -> None:
        if messages:
            await self.client.add_messages(
                self.conversation, [to_lukasa(m) for m in messages], container=self.container
            )
