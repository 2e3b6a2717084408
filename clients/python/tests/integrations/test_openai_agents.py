"""OpenAI Agents, with its real package and a scripted model."""

from __future__ import annotations

import json
import random
from typing import Any

from agents import Agent, Runner, SQLiteSession, set_tracing_disabled
from agents.items import ModelResponse
from agents.memory import Session, SessionSettings
from agents.models.interface import Model
from agents.tool_context import ToolContext
from agents.usage import Usage
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from lukasa.openai_agents import LukasaSession, memory_tools

from .base import AsyncIntegration

set_tracing_disabled(True)


def say(text: str) -> ResponseOutputMessage:
    part = ResponseOutputText(text=text, type="output_text", annotations=[])
    return ResponseOutputMessage(id="m", content=[part], role="assistant", status="completed", type="message")


def call(name: str, **arguments: Any) -> ResponseFunctionToolCall:
    return ResponseFunctionToolCall(
        call_id="c1", name=name, arguments=json.dumps(arguments), type="function_call", id="f", status="completed"
    )


class Scripted(Model):
    """A model that answers what it is told, and keeps what it was asked."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.asked: list[Any] = []

    async def get_response(self, *args: Any, **options: Any) -> ModelResponse:
        self.asked.append(options["input"] if "input" in options else args[1])
        return ModelResponse(output=[self.answers.pop(0)], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **options: Any) -> Any:
        raise NotImplementedError


class TestSession(AsyncIntegration):
    async def test_the_same_as_the_session_in_sqlite(self) -> None:
        """Random operations give what the session of the package gives."""
        rng = random.Random(3)
        ours, reference = LukasaSession(self.client, "s", container=self.container), SQLiteSession("s")
        self.assertIsInstance(ours, Session)
        kinds: list[Any] = [
            {"role": "user", "content": "Hello."},
            {
                "role": "user",
                "content": [{"type": "input_text", "text": "Look."}, {"type": "input_image", "image_url": "u"}],
            },
            {"type": "function_call", "call_id": "1", "name": "f", "arguments": '{"a": 1}'},
            {"type": "function_call_output", "call_id": "1", "output": "42"},
            {"role": "assistant", "content": "", "id": "x"},
            {"role": "developer", "content": "Be brief."},
        ]
        for _ in range(60):
            act = rng.random()
            if act < 0.5:
                items = [dict(rng.choice(kinds)) for _ in range(rng.randrange(4))]
                await ours.add_items(items)  # type: ignore[arg-type]
                await reference.add_items(items)  # type: ignore[arg-type]
            elif act < 0.75:
                self.assertEqual(await ours.pop_item(), await reference.pop_item())
            elif act < 0.8:
                await ours.clear_session()
                await reference.clear_session()
            limit = rng.choice([None, 0, 1, 3, 100])
            self.assertEqual(await ours.get_items(limit), await reference.get_items(limit))

    async def test_an_agent_remembers_its_conversation(self) -> None:
        model = Scripted(say("Hello Ana."), say("You are Ana."))
        agent = Agent(name="a", model=model)
        session = LukasaSession(self.client, "talk", container=self.container)
        await Runner.run(agent, "I am Ana.", session=session)
        result = await Runner.run(agent, "Who am I?", session=session)
        self.assertEqual(result.final_output, "You are Ana.")
        self.assertEqual(len(model.asked[1]), 3)
        self.assertEqual(len(await session.get_items()), 4)
        short = LukasaSession(
            self.client, "talk", container=self.container, session_settings=SessionSettings(limit=1)
        )
        self.assertEqual(len(await short.get_items()), 1)

    async def test_tools(self) -> None:
        tools = memory_tools(self.client, container=self.container)
        model = Scripted(call("remember", statement="Ana lives in Lyon."), say("Noted."))
        await Runner.run(Agent(name="a", model=model, tools=list(tools)), "Remember where I live.")
        model = Scripted(call("recall", query="Where does Ana live?"), say("In Lyon."))
        session = LukasaSession(self.client, "tools", container=self.container + "-s")
        await Runner.run(Agent(name="a", model=model, tools=list(tools)), "Where does Ana live?", session=session)
        outputs = [i["output"] for i in model.asked[1] if i.get("type") == "function_call_output"]
        self.assertIn("Lyon", outputs[0])
        self.assertEqual(await session.get_items(), model.asked[1] + [model_item("In Lyon.")])
        context = ToolContext(context=None, tool_name="recall", tool_call_id="1", tool_arguments="{}")
        nothing = memory_tools(self.client, container="t-empty")[0]
        answer = await nothing.on_invoke_tool(context, '{"query": "anything"}')
        self.assertEqual(answer, "Nothing relevant is remembered.")


def model_item(text: str) -> Any:
    return say(text).model_dump(exclude_unset=True)
