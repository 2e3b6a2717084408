"""Pydantic AI, with its real package and a model that is a function."""

from __future__ import annotations

from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from lukasa.pydantic_ai import MessageHistory, memory_toolset, recall_instructions

from .base import AsyncIntegration


def returns(messages: list[ModelMessage]) -> list[Any]:
    return [p.content for m in messages for p in m.parts if isinstance(p, ToolReturnPart)]


class TestPydanticAI(AsyncIntegration):
    async def test_tools_and_history(self) -> None:
        def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            self.assertEqual({t.name for t in info.function_tools}, {"recall", "remember"})
            self.assertIn("query", info.function_tools[0].parameters_json_schema["properties"])
            done = returns(messages)
            if not done:
                return ModelResponse(parts=[ToolCallPart("remember", {"statement": "Ana lives in Lyon."})])
            if len(done) == 1:
                return ModelResponse(parts=[ToolCallPart("recall", {"query": "Where does Ana live?"})])
            return ModelResponse(parts=[TextPart(str(done[-1]))])

        agent = Agent(FunctionModel(model), toolsets=[memory_toolset(self.client, container=self.container)])
        history = MessageHistory(self.client, "thread", container=self.container + "-h")
        result = await agent.run("I live in Lyon.", message_history=await history.load())
        self.assertIn("Lyon", result.output)
        await history.append(result.new_messages())
        self.assertEqual(await history.load(), result.all_messages())
        second = await agent.run("And now?", message_history=await history.load())
        await history.append(second.new_messages())
        self.assertEqual(await history.load(), second.all_messages())
        texts = [m.content for m in self.sync_client.list_messages("thread", container=self.container + "-h")]
        self.assertIn("I live in Lyon.", texts)
        await history.clear()
        self.assertEqual(await history.load(), [])

    async def test_instructions(self) -> None:
        await self.client.add_document("The launch is on Friday.", container=self.container)
        seen: list[str] = []

        def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            last = messages[-1]
            assert isinstance(last, ModelRequest)
            seen.append(last.instructions or "")
            return ModelResponse(parts=[TextPart("ok")])

        agent = Agent(FunctionModel(model))
        agent.instructions(recall_instructions(self.client, container=self.container))
        await agent.run("When is the launch?")
        self.assertIn("Friday", seen[0])
