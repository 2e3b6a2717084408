"""LangChain's classic memory: load_memory_variables, save_context and clear. Needs langchain-classic.

    memory = LukasaMemory(client=client, conversation="thread-1", container="ana")
    chain = ConversationChain(llm=llm, memory=memory)

What a chain is given has two parts: a brief of what is relevant to its input, from everything that the container
holds, and the last
turns of this conversation.
"""

from __future__ import annotations

from typing import Any

from langchain_classic.base_memory import BaseMemory
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, get_buffer_string
from pydantic import ConfigDict

from ._client import Lukasa
from ._history import History
from .langchain import from_lukasa

__all__ = ["LukasaMemory"]


class LukasaMemory(BaseMemory):
    """A memory of classic chains.

    memory_key: the variable that the chain's prompt has for it
    input_key, output_key: what of a chain's inputs and outputs is said; needed where there are several
    container: where the conversation is kept, and where is recalled from
    max_tokens: of the brief; 0 leaves it out
    last: how many messages of this conversation are given back
    return_messages: give messages, not a text; the brief is a system message then
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    client: Lukasa
    conversation: str
    container: str = "default"
    memory_key: str = "history"
    input_key: str | None = None
    output_key: str | None = None
    max_tokens: int = 1000
    last: int = 10
    return_messages: bool = False
    human_prefix: str = "Human"
    ai_prefix: str = "AI"

    @property
    def memory_variables(self) -> list[str]:
        return [self.memory_key]

    @property
    def _history(self) -> History:
        return History(self.client, self.conversation, self.container)

    def load_memory_variables(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """Return what is relevant to the input, and the last turns of this conversation."""
        messages: list[BaseMessage] = [from_lukasa(m) for m in self._history.read(self.last)]
        query = self._said(inputs, self.input_key, "input_key") if inputs else ""
        brief = ""
        if query and self.max_tokens > 0:
            brief = self.client.brief(query, container=self.container, max_tokens=self.max_tokens).text
        if self.return_messages:
            return {self.memory_key: ([SystemMessage(content=brief)] if brief else []) + messages}
        turns = get_buffer_string(messages, human_prefix=self.human_prefix, ai_prefix=self.ai_prefix)
        return {self.memory_key: "\n\n".join(part for part in (brief, turns) if part)}

    def save_context(self, inputs: dict[str, Any], outputs: dict[str, str]) -> None:
        """Keep what was said and answered."""
        said = self._said(inputs, self.input_key, "input_key")
        answered = self._said(outputs, self.output_key, "output_key")
        self._history.append([{"role": "user", "content": said}, {"role": "assistant", "content": answered}])

    def clear(self) -> None:
        """Remove this conversation for good, with what is known from it alone."""
        self._history.clear()

    def _said(self, values: dict[str, Any], key: str | None, name: str) -> str:
        if key is None:
            rest = [k for k in values if k != self.memory_key and k != "stop"]
            if len(rest) != 1:
                raise ValueError(f"{name}: is needed, as there are several: {', '.join(sorted(values)) or 'none'}")
            key = rest[0]
        value = values[key]
        if isinstance(value, (HumanMessage, AIMessage)):
            return str(value.content)
        return value if isinstance(value, str) else str(value)
