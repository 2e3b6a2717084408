"""LangChain and LangGraph, with their real packages."""

from __future__ import annotations

import asyncio
import random
import warnings
from typing import Any, TypedDict

from langchain_classic.chains import ConversationChain
from langchain_core.chat_history import InMemoryChatMessageHistory
from langchain_core.language_models import FakeListChatModel, FakeListLLM
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import RunnableWithMessageHistory
from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore, GetOp, ListNamespacesOp, MatchCondition, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from lukasa import AsyncLukasa
from lukasa.langchain import LukasaChatMessageHistory, LukasaRetriever
from lukasa.langchain_classic import LukasaMemory
from lukasa.langgraph import LukasaStore

from .base import Integration


class TestHistory(Integration):
    def test_messages_come_back_as_they_were(self) -> None:
        messages: list[BaseMessage] = [
            SystemMessage("Be brief."),
            HumanMessage("What is the weather in Lyon?", name="ana"),
            AIMessage("", tool_calls=[{"name": "weather", "args": {"city": "Lyon"}, "id": "call_1"}]),
            ToolMessage("Sunny, 24 °C", tool_call_id="call_1"),
            AIMessage("It is sunny.", response_metadata={"model": "x"}, id="run-1"),
            HumanMessage(
                [{"type": "text", "text": "And what is this?"}, {"type": "image_url", "image_url": {"url": "u"}}]
            ),
            HumanMessage("Plain."),
        ]
        history = LukasaChatMessageHistory(self.client, "weather", container=self.container)
        self.assertEqual(history.messages, [])
        reference = InMemoryChatMessageHistory()
        history.add_messages(messages)
        reference.add_messages(messages)
        self.assertEqual(history.messages, reference.messages)
        last = LukasaChatMessageHistory(self.client, "weather", container=self.container, limit=2)
        self.assertEqual(last.messages, messages[-2:])
        asyncio.run(history.aadd_messages([AIMessage("More.")]))
        self.assertEqual(asyncio.run(history.aget_messages())[-1].content, "More.")
        found = [hit.content for hit in self.client.search("sunny weather in Lyon", container=self.container)]
        self.assertIn("Sunny, 24 °C", found)
        history.clear()
        history.clear()
        self.assertEqual(history.messages, [])

    def test_a_chain_with_history(self) -> None:
        prompt = ChatPromptTemplate.from_messages([MessagesPlaceholder("history"), ("human", "{input}")])
        seen: list[int] = []

        class Model(FakeListChatModel):
            def _call(self, messages: list[BaseMessage], *args: Any, **options: Any) -> str:
                seen.append(len(messages))
                return super()._call(messages, *args, **options)

        chain = RunnableWithMessageHistory(
            prompt | Model(responses=["Hello Ana.", "Ana."]),
            lambda session_id: LukasaChatMessageHistory(self.client, session_id, container=self.container),
            input_messages_key="input",
            history_messages_key="history",
        )
        config: Any = {"configurable": {"session_id": "s1"}}
        chain.invoke({"input": "I am Ana."}, config)
        self.assertEqual(chain.invoke({"input": "Who am I?"}, config).content, "Ana.")
        self.assertEqual(seen, [1, 3])

    def test_more_than_a_page(self) -> None:
        history = LukasaChatMessageHistory(self.client, "long", container=self.container)
        history.add_messages([HumanMessage(f"Message {i}.") for i in range(250)])
        self.assertEqual([m.content for m in history.messages], [f"Message {i}." for i in range(250)])
        newest = LukasaChatMessageHistory(self.client, "long", container=self.container, limit=150).messages
        self.assertEqual([m.content for m in newest], [f"Message {i}." for i in range(100, 250)])


class TestRetriever(Integration):
    def test_documents(self) -> None:
        self.client.add_document(
            "The cat is called Miso.", container=self.container, metadata={"page": 3}, tags=["pets"]
        )
        self.client.add_document("The dog is called Rex.", container=self.container)
        retriever = LukasaRetriever(client=self.client, container=self.container, k=1)
        documents = retriever.invoke("what is the cat called")
        self.assertEqual([d.page_content for d in documents], ["The cat is called Miso."])
        self.assertEqual(documents[0].metadata["page"], 3)
        self.assertIn("pets", documents[0].metadata["tags"])
        filtered = LukasaRetriever(client=self.client, container=self.container, options={"tags": ["pets"]})
        self.assertEqual(len(filtered.invoke("called")), 1)

        async def both() -> None:
            async with AsyncLukasa(self.server.server, self.server.key) as client:
                alone = LukasaRetriever(async_client=client, container=self.container, k=1)
                self.assertEqual((await alone.ainvoke("the cat"))[0].page_content, "The cat is called Miso.")
                with self.assertRaisesRegex(ValueError, "client: is missing"):
                    alone.invoke("the cat")
            self.assertEqual(len(await retriever.ainvoke("the cat")), 1)

        asyncio.run(both())


class TestClassicMemory(Integration):  # T-11
    def test_load_save_clear(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            memory = LukasaMemory(client=self.client, conversation="talk", container=self.container)
        self.assertEqual(memory.memory_variables, ["history"])
        self.assertEqual(memory.load_memory_variables({"input": "Hello"}), {"history": ""})
        self.client.add_document("The deadline of the project is in May.", container=self.container)
        memory.save_context({"input": "I am Ana."}, {"output": "Hello Ana."})
        text = memory.load_memory_variables({"input": "When is the deadline?"})["history"]
        self.assertIn("in May", text)
        self.assertTrue(text.endswith("Human: I am Ana.\nAI: Hello Ana."))
        memory.return_messages = True
        messages = memory.load_memory_variables({"input": "When is the deadline?"})["history"]
        self.assertEqual([m.type for m in messages], ["system", "human", "ai"])
        with self.assertRaisesRegex(ValueError, "input_key"):
            memory.save_context({"a": "1", "b": "2"}, {"output": "x"})
        memory.clear()
        memory.clear()
        self.assertEqual(memory.load_memory_variables({})["history"], [])

    def test_a_chain(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            memory = LukasaMemory(client=self.client, conversation="chain", container=self.container)
            chain = ConversationChain(llm=FakeListLLM(responses=["Hello Ana.", "You are Ana."]), memory=memory)
        chain.invoke({"input": "I am Ana."})
        answer = chain.invoke({"input": "Who am I?"})
        self.assertEqual(answer["response"], "You are Ana.")
        self.assertIn("I am Ana.", answer["history"])
        self.assertEqual(self.client.list_messages("chain", container=self.container).total, 4)


class TestStore(Integration):
    def test_an_item(self) -> None:
        store = LukasaStore(self.client, container=self.container)
        store.put(("users", "a/b:c", "日本"), "likes", {"food": "pizza", "n": [1, {"x": None}], "s": ""})
        item = store.get(("users", "a/b:c", "日本"), "likes")
        assert item
        self.assertEqual(item.value, {"food": "pizza", "n": [1, {"x": None}], "s": ""})
        self.assertEqual(item.namespace, ("users", "a/b:c", "日本"))
        store.put(("users", "a/b:c", "日本"), "likes", {"food": "sushi"})
        again = store.get(("users", "a/b:c", "日本"), "likes")
        assert again
        self.assertEqual((again.value, again.created_at), ({"food": "sushi"}, item.created_at))
        self.assertGreater(again.updated_at, item.updated_at)
        store.delete(("users", "a/b:c", "日本"), "likes")
        self.assertIsNone(store.get(("users", "a/b:c", "日本"), "likes"))
        self.assertEqual(self.client.list_documents(container=self.container, all_versions=True).total, 0)

    def test_search_by_meaning(self) -> None:
        store = LukasaStore(self.client, container=self.container)
        store.put(("u1",), "a", {"text": "The automobile repair shop called: the brakes are done.", "kind": "note"})
        store.put(("u1",), "b", {"text": "Buy flowers on Friday.", "kind": "todo"})
        store.put(("u1",), "c", {"text": "My car needs new tyres.", "kind": "todo"}, index=False)
        store.put(("u2",), "a", {"text": "Fixing my car took all day."})
        found = store.search(("u1",), query="fixing my car")
        self.assertEqual(found[0].key, "a")
        self.assertNotIn("c", [f.key for f in found])
        self.assertTrue(all(f.namespace == ("u1",) for f in found))
        assert found[0].score
        only = store.search(("u1",), query="car", filter={"kind": "todo"})
        self.assertEqual([f.key for f in only], ["b"])

    def test_items_end(self) -> None:
        store = LukasaStore(self.client, container=self.container)
        store.put(("t",), "short", {"x": 1}, ttl=60)
        first = list(self.client.list_documents(container=self.container))[0].forget_after
        assert first
        self.assertEqual(self.client.list_documents(container=self.container).total, 1)
        store.get(("t",), "short")
        later = list(self.client.list_documents(container=self.container))[0].forget_after
        assert later
        self.assertGreater(later, first)
        store.put(("t",), "short", {"x": 1})
        self.assertIsNone(list(self.client.list_documents(container=self.container))[0].forget_after)

    def test_the_same_as_the_store_in_memory(self) -> None:
        """Random operations give what LangGraph's own store gives."""
        rng = random.Random(7)
        ours, reference = LukasaStore(self.client, container=self.container), InMemoryStore()
        namespaces = [("a",), ("a", "b"), ("a", "b", "c"), ("b",), ("b", "a")]
        for step in range(120):
            namespace, key = rng.choice(namespaces), rng.choice("xyz")
            value = None if rng.random() < 0.25 else {"n": rng.randrange(3), "word": rng.choice(["red", "blue"])}
            for store in (ours, reference):
                store.batch([PutOp(namespace, key, value)])
            if step % 10:
                continue
            conditions = rng.choice(
                [
                    None,
                    (MatchCondition("prefix", ("a",)),),
                    (MatchCondition("suffix", ("b",)),),
                    (MatchCondition("prefix", ("*", "b")),),
                ]
            )
            where: Any = rng.choice([None, {"word": "red"}, {"n": {"$gte": 1}}, {"n": {"$ne": 2}, "word": "blue"}])
            ops = [
                GetOp(namespace, key),
                SearchOp(rng.choice([(), ("a",), ("a", "b"), ("b",)]), filter=where, limit=100),
                ListNamespacesOp(match_conditions=conditions, max_depth=rng.choice([None, 1, 2])),
            ]
            # A store in memory goes on listing namespaces that are empty; a new one with the same items does not.
            fresh = InMemoryStore()
            for item in reference.search((), limit=1000):
                fresh.put(item.namespace, item.key, item.value)
            got, want = ours.batch(ops), fresh.batch(ops)
            self.assertEqual(_plain(got), _plain(want), ops)

    def test_a_graph(self) -> None:
        class State(TypedDict):
            text: str

        def node(state: State, *, store: BaseStore) -> State:
            kept = store.search(("notes",), query=state["text"])
            store.put(("notes",), "n1", {"text": "Ana likes tea."})
            return {"text": kept[0].value["text"] if kept else "nothing"}

        builder = StateGraph(State)
        builder.add_node("node", node)
        builder.add_edge(START, "node")
        builder.add_edge("node", END)
        graph = builder.compile(store=LukasaStore(self.client, container=self.container))
        self.assertEqual(graph.invoke({"text": "what does Ana drink"}), {"text": "nothing"})
        self.assertEqual(graph.invoke({"text": "what does Ana drink"}), {"text": "Ana likes tea."})


def _plain(results: list[Any]) -> list[Any]:
    item, found, namespaces = results
    return [
        item and (item.namespace, item.key, item.value),
        sorted((f.namespace, f.key, str(f.value)) for f in found),
        sorted(namespaces),
    ]
