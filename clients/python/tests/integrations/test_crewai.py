"""CrewAI, with its real package and a scripted model."""

from __future__ import annotations

import os
from datetime import datetime, timedelta
from typing import Any

os.environ.setdefault("CREWAI_DISABLE_TELEMETRY", "true")
os.environ.setdefault("OTEL_SDK_DISABLED", "true")
os.environ.setdefault("CREWAI_TRACING_ENABLED", "false")

from crewai import Agent, Crew, Process, Task
from crewai.llms.base_llm import BaseLLM
from crewai.tools.memory_tools import create_memory_tools

from lukasa.crewai import LukasaMemory

from .base import Integration


class Scripted(BaseLLM):
    """A model that answers one text and keeps what it was asked."""

    def __init__(self, answer: str, asked: list[str]) -> None:
        super().__init__(model="scripted")
        self._answer, self._asked = answer, asked

    def call(self, messages: Any, *args: Any, **options: Any) -> str:
        self._asked.append(str(messages))
        return f"Thought: I now can give a great answer\nFinal Answer: {self._answer}"

    def supports_function_calling(self) -> bool:
        return False


class TestMemory(Integration):
    def memory(self, **options: Any) -> LukasaMemory:
        return LukasaMemory(client=self.client, container=self.container, **options)

    def test_remember_and_recall(self) -> None:
        memory = self.memory(root_scope="/crew")
        record = memory.remember(
            "The launch is on Friday.", scope="/plan", categories=["date"], metadata={"by": "ana"}, importance=0.9
        )
        assert record
        memory.remember_many(["Eva is a vet in Oslo.", "Miso is a cat."], scope="/people")
        found = memory.recall("When is the launch?")
        self.assertEqual(found[0].record.content, "The launch is on Friday.")
        self.assertEqual(found[0].record.scope, "/crew/plan")
        self.assertEqual(found[0].record.importance, 0.9)
        self.assertEqual(found[0].record.metadata, {"by": "ana"})
        self.assertEqual(
            [m.record.content for m in memory.recall("launch", scope="/people") if "launch" in m.record.content], []
        )
        self.assertEqual([m.record.id for m in memory.recall("launch", categories=["date"])], [record.id])
        memory.remember("Ana's number is 4711.", source="ana", private=True)
        self.assertFalse(any("4711" in m.record.content for m in memory.recall("Ana's number")))
        self.assertTrue(any("4711" in m.record.content for m in memory.recall("Ana's number", source="ana")))
        self.assertEqual(memory.forget(older_than=datetime.now() - timedelta(days=1)), 0)
        self.assertEqual(memory.forget(record_ids=[record.id]), 1)
        self.assertFalse(any("launch" in m.record.content for m in memory.recall("launch")))
        self.assertIsNone(self.memory(read_only=True).remember("Not kept."))
        with self.assertRaisesRegex(NotImplementedError, "ask the client"):
            memory.list_scopes()
        memory.reset()
        self.assertEqual(self.client.list_documents(container=self.container).total, 0)

    def test_tools(self) -> None:
        recall, remember = create_memory_tools(self.memory())
        self.assertIn("Saved to memory", remember.run(contents=["Ana lives in Lyon."]))
        self.assertIn("Lyon", recall.run(queries=["Where does Ana live?"]))

    def test_a_crew(self) -> None:
        asked: list[str] = []
        memory = self.memory()
        memory.remember("The colour of the logo is teal.")
        agent = Agent(
            role="Designer",
            goal="Design",
            backstory="You design.",
            llm=Scripted("Teal it is.", asked),
            verbose=False,
        )
        task = Task(description="Which colour has the logo?", expected_output="A colour", agent=agent)
        crew = Crew(agents=[agent], tasks=[task], process=Process.sequential, memory=memory, verbose=False)
        self.assertEqual(crew.kickoff().raw, "Teal it is.")
        self.assertTrue(any("teal" in a for a in asked), "the model was told what is remembered")
        self.assertTrue(
            any(
                "Teal it is." in (d.content or d.summary)
                for d in self.client.list_documents(container=self.container)
            )
        )
