"""Anthropic's memory tool: the same answers as the package's own tool over files, and a run of its tool runner."""

from __future__ import annotations

import asyncio
import json
import random
import re
import tempfile
from typing import Any

import anthropic
from anthropic.lib.tools import ToolError
from anthropic.lib.tools._beta_builtin_memory_tool import BetaLocalFilesystemMemoryTool

from lukasa.anthropic import AsyncLukasaMemoryTool, LukasaMemoryTool

from ..servers import Fake, send_json
from .base import Integration


def run(tool: Any, command: dict[str, Any]) -> str:
    try:
        text = str(tool.call(command))
    except ToolError as e:
        text = f"error: {e}"
    # What a directory takes is the file system's affair.
    return re.sub(r"^[\d.]+[BKM](\t\S+/|\t/memories)$", r"4K\1", text, flags=re.M)


class TestMemoryTool(Integration):
    def test_the_same_as_the_tool_over_files(self) -> None:
        rng = random.Random(11)
        ours = LukasaMemoryTool(self.client, container=self.container)
        with tempfile.TemporaryDirectory() as folder:
            reference = BetaLocalFilesystemMemoryTool(folder)
            files = [
                "/memories/a.md",
                "/memories/d/b.md",
                "/memories/d/e/c.txt",
                "/memories/.hidden",
                "/memories/d/../a.md",
            ]
            texts = ["", "one", "one\ntwo\nthree\n", "a\n\nb\r\nc\n", "x" * 1500, "same\nsame\n", "naïve ☕\n"]
            # A file in each directory stays: an empty directory is not there for us.
            for path in ("/memories/keep", "/memories/d/keep", "/memories/d/e/keep"):
                for tool in (ours, reference):
                    tool.call({"command": "create", "path": path, "file_text": "keep"})
            seen = set()
            for step in range(250):
                path = rng.choice(files)
                command: dict[str, Any] = rng.choice(
                    [
                        {"command": "view", "path": path},
                        {
                            "command": "view",
                            "path": path,
                            "view_range": [rng.randrange(4), rng.choice([-1, 1, 2, 9])],
                        },
                        {
                            "command": "view",
                            "path": rng.choice(["/memories", "/memories/d", "/memories/none", "/etc"]),
                        },
                        {"command": "create", "path": path, "file_text": rng.choice(texts)},
                        {
                            "command": "str_replace",
                            "path": path,
                            "old_str": rng.choice(["one", "same", "b"]),
                            "new_str": "new",
                        },
                        {
                            "command": "insert",
                            "path": path,
                            "insert_line": rng.randrange(-1, 5),
                            "insert_text": "in\n",
                        },
                        {"command": "delete", "path": path},
                        {"command": "delete", "path": "/memories"},
                        {"command": "rename", "old_path": path, "new_path": rng.choice(files)},
                        {"command": "view", "path": "/memories/../secret"},
                    ]
                )
                got, want = run(ours, command), run(reference, command)
                self.assertEqual(got, want, f"step {step}: {command}")
                seen.add(re.sub(r"[/`].*", "", want)[:40])
        self.assertGreater(len(seen), 12, seen)

    def test_directories(self) -> None:
        tool = LukasaMemoryTool(self.client, container=self.container)
        for name in ("d/one", "d/sub/two", "other"):
            tool.call({"command": "create", "path": f"/memories/{name}", "file_text": f"text of {name}"})
        self.assertIn("already exists", run(tool, {"command": "create", "path": "/memories/d", "file_text": ""}))
        self.assertIn(
            "is not a file",
            run(tool, {"command": "insert", "path": "/memories/d", "insert_line": 0, "insert_text": ""}),
        )
        run(tool, {"command": "rename", "old_path": "/memories/d", "new_path": "/memories/e"})
        listing = run(tool, {"command": "view", "path": "/memories"})
        self.assertIn("/memories/e/sub/", listing)
        self.assertNotIn("/memories/d", listing)
        self.assertIn("text of d/sub/two", run(tool, {"command": "view", "path": "/memories/e/sub/two"}))
        found = self.client.search("text of other", container=self.container)
        self.assertIn("text of other", found[0].content)
        self.assertEqual(
            run(tool, {"command": "delete", "path": "/memories/e"}), "Successfully deleted /memories/e"
        )
        self.assertEqual(tool.clear_all_memory(), "All memory cleared")
        self.assertEqual(self.client.list_documents(container=self.container, all_versions=True).total, 0)

    def test_the_tool_runner(self) -> None:
        asked: list[Any] = []

        def api(handler: Any, n: int) -> None:
            asked.append(json.loads(fake.log[-1].body))
            call = {"command": "create", "path": "/memories/tea.md", "file_text": "Ana likes tea."}
            block: Any = {"type": "text", "text": "Noted."}
            if n == 1:
                block = {"type": "tool_use", "id": "t1", "name": "memory", "input": call}
            stop = "tool_use" if n == 1 else "end_turn"
            usage = {"input_tokens": 1, "output_tokens": 1}
            head = {"id": f"m{n}", "type": "message", "role": "assistant", "model": "m"}
            send_json(handler, 200, {**head, "content": [block], "stop_reason": stop, "usage": usage})

        fake = Fake(api)
        self.addCleanup(fake.stop)
        model = anthropic.Anthropic(base_url=fake.url, api_key="k")
        self.addCleanup(model.close)
        tool = LukasaMemoryTool(self.client, container=self.container)
        prompt: Any = [{"role": "user", "content": "I like tea."}]
        final = model.beta.messages.tool_runner(
            model="m", max_tokens=100, messages=prompt, tools=[tool]
        ).until_done()
        self.assertEqual(final.content[0].text, "Noted.")  # type: ignore[union-attr]
        self.assertEqual(asked[0]["tools"], [{"type": "memory_20250818", "name": "memory"}])
        self.assertIn("created successfully", json.dumps(asked[1]["messages"]))
        self.assertIn("tea", self.client.search("what does Ana drink", container=self.container)[0].content)

    def test_in_an_event_loop(self) -> None:
        tool = AsyncLukasaMemoryTool(self.client, container=self.container)

        async def go() -> list[str]:
            create = {"command": "create", "path": "/memories/a", "file_text": "x"}
            return [str(await tool.call(c)) for c in (create, {"command": "view", "path": "/memories/a"})]

        self.assertIn("     1\tx", asyncio.run(go())[1])
