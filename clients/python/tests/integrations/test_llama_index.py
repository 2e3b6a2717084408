"""LlamaIndex, with its real package."""

from __future__ import annotations

import asyncio
import random

from llama_index.core.base.llms.types import ChatMessage, ImageBlock, MessageRole, TextBlock
from llama_index.core.memory import ChatMemoryBuffer, Memory
from llama_index.core.storage.chat_store import SimpleChatStore

from lukasa import AsyncLukasa
from lukasa.llama_index import LukasaChatStore, LukasaMemoryBlock, LukasaRetriever

from .base import AsyncIntegration, Integration


class TestChatStore(Integration):
    def test_the_same_as_the_simple_store(self) -> None:
        """Random operations give what LlamaIndex's own store gives."""
        rng = random.Random(5)
        ours, reference = LukasaChatStore(client=self.client, container=self.container), SimpleChatStore()

        def message() -> ChatMessage:
            role = rng.choice([MessageRole.USER, MessageRole.ASSISTANT, MessageRole.SYSTEM, MessageRole.TOOL])
            if rng.random() < 0.2:
                return ChatMessage(role=role, blocks=[TextBlock(text="Look."), ImageBlock(url="http://a/b.png")])
            extra = {"tool_call_id": "1"} if role == MessageRole.TOOL else {}
            return ChatMessage(role=role, content=f"Message {rng.randrange(5)}.", additional_kwargs=extra)

        for _ in range(60):
            key, act = rng.choice(["a", "b c"]), rng.randrange(6)
            count = len(reference.get_messages(key))
            if act < 2:
                m = message()
                ours.add_message(key, m)
                reference.add_message(key, m)
            elif act == 2:
                kept = reference.get_messages(key)[: rng.randrange(count + 1)]
                all_ = kept + [message() for _ in range(rng.randrange(3))]
                ours.set_messages(key, all_)
                reference.set_messages(key, list(all_))
            elif act == 3 and count:
                i = rng.randrange(count)
                self.assertEqual(ours.delete_message(key, i), reference.delete_message(key, i))
            elif act == 4 and count:
                self.assertEqual(ours.delete_last_message(key), reference.delete_last_message(key))
            elif act == 5 and rng.random() < 0.3:
                ours.delete_messages(key)
                reference.delete_messages(key)
            self.assertEqual(ours.get_messages(key), reference.get_messages(key))

    def test_a_chat_memory(self) -> None:
        store = LukasaChatStore(client=self.client, container=self.container)
        for _ in range(2):
            memory = ChatMemoryBuffer.from_defaults(chat_store=store, chat_store_key="t1", token_limit=1000)
            memory.put(ChatMessage(role="user", content="I am Ana."))
        self.assertEqual([m.content for m in memory.get()], ["I am Ana.", "I am Ana."])
        self.assertEqual(store.get_keys(), ["t1"])

    def test_retriever(self) -> None:
        self.client.add_document("The cat is called Miso.", container=self.container)
        self.client.add_document("The dog is called Rex.", container=self.container)
        retriever = LukasaRetriever(self.client, container=self.container, similarity_top_k=1)
        nodes = retriever.retrieve("what is the cat called")
        self.assertEqual([n.get_content() for n in nodes], ["The cat is called Miso."])

        async def asynchronous() -> None:
            async with AsyncLukasa(self.server.server, self.server.key) as client:
                retriever = LukasaRetriever(self.client, async_client=client, container=self.container)
                self.assertEqual(len(await retriever.aretrieve("called")), 2)

        asyncio.run(asynchronous())


class TestMemoryBlock(AsyncIntegration):
    async def test_what_leaves_comes_back(self) -> None:
        block = LukasaMemoryBlock(client=self.client, container=self.container)
        memory = Memory.from_defaults(
            session_id="s", token_limit=40, token_flush_size=10, chat_history_token_ratio=0.5, memory_blocks=[block]
        )
        await memory.aput(ChatMessage(role="user", content="My sister Eva is a vet in Oslo."))
        for i in range(6):
            await memory.aput(
                ChatMessage(role="assistant", content=f"That is fine, number {i}, tell me more about it.")
            )
            await memory.aput(ChatMessage(role="user", content=f"The weather is good today, I think, number {i}."))
        kept = self.sync_client.list_messages("llama-index", container=self.container)
        self.assertIn("Oslo", kept.items[0].content)
        text = await block.aget([ChatMessage(role="user", content="What does Eva do?")])
        self.assertIn("vet", text)
        self.assertEqual(await block.aget([]), "")
