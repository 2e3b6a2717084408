"""Anthropic: the memory tool (memory_20250818) over a container. Needs anthropic.

runner = anthropic.Anthropic().beta.messages.tool_runner(
    model="…", max_tokens=1024, tools=[LukasaMemoryTool(client, container="ana")], messages=[…]
)
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
from anthropic.types.beta import (
    BetaMemoryTool20250818CreateCommand,
    BetaMemoryTool20250818DeleteCommand,
    BetaMemoryTool20250818InsertCommand,
    BetaMemoryTool20250818RenameCommand,
    BetaMemoryTool20250818StrReplaceCommand,
    BetaMemoryTool20250818ViewCommand,
)

from ._client import Lukasa
from ._memory_files import MemoryFileError, MemoryFiles

__all__ = ["AsyncLukasaMemoryTool", "LukasaMemoryTool"]

T = TypeVar("T")


def _answer(act: Callable[..., str], *args: Any) -> str:
    try:
        return act(*args)
    except MemoryFileError as e:
        raise ToolError(str(e)) from e


class LukasaMemoryTool(BetaAbstractMemoryTool):
    """The memory tool. container: where the files are kept, one for each user or agent."""

    def __init__(self, client: Lukasa, *, container: str = "memories", **options: Any) -> None:
        super().__init__(**options)
        self._files = MemoryFiles(client, container)

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        return _answer(self._files.view, command.path, command.view_range)

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        return _answer(self._files.create, command.path, command.file_text)

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        return _answer(self._files.str_replace, command.path, command.old_str, command.new_str)

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        return _answer(self._files.insert, command.path, command.insert_line, command.insert_text)

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        return _answer(self._files.delete, command.path)

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        return _answer(self._files.rename, command.old_path, command.new_path)

    def clear_all_memory(self) -> str:
        return self._files.clear()


class AsyncLukasaMemoryTool(BetaAsyncAbstractMemoryTool):
    """The memory tool for an event loop; its calls run in threads."""

    def __init__(self, client: Lukasa, *, container: str = "memories", **options: Any) -> None:
        super().__init__(**options)
        self._tool = LukasaMemoryTool(client, container=container)

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        return await asyncio.to_thread(self._tool.view, command)

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        return await asyncio.to_thread(self._tool.create, command)

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        return await asyncio.to_thread(self._tool.str_replace, command)

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        return await asyncio.to_thread(self._tool.insert, command)

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        return await asyncio.to_thread(self._tool.delete, command)

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        return await asyncio.to_thread(self._tool.rename, command)

    async def clear_all_memory(self) -> str:
        return await asyncio.to_thread(self._tool.clear_all_memory)
