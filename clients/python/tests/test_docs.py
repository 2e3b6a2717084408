"""The examples of README.md, run one after the other against the real binary."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import io
import os
import pathlib
import re
import unittest
from unittest import mock

from .servers import Real

README = pathlib.Path(__file__).parents[1] / "README.md"


# A block after <!-- integration: NAME --> is run where the package of NAME is installed.
PACKAGES = {"langchain": "langgraph", "openai-agents": "agents", "anthropic": "anthropic"}


def blocks() -> list[str]:
    """Return the Python blocks of README.md that can run here."""
    found = re.findall(r"(?:<!-- integration: (\S+) -->\n)?```python\n(.*?)```", README.read_text(), re.S)
    return [code for name, code in found if not name or importlib.util.find_spec(PACKAGES[name])]


class TestReadme(unittest.TestCase):
    def test_examples(self) -> None:
        server = Real(LUKASA_LLM_PROVIDER="none")
        self.addCleanup(server.stop)
        examples = blocks()
        self.assertGreater(len(examples), 4)
        env = {"LUKASA_SERVER": server.server, "LUKASA_API_KEY": server.key}
        names: dict[str, object] = {}
        with mock.patch.dict(os.environ, env), contextlib.redirect_stdout(io.StringIO()):
            for code in examples:
                with self.subTest(code=code):
                    if re.search(r"^async |^ *await ", code, re.M):
                        body = "async def _main():\n" + "".join(f"    {line}\n" for line in code.splitlines())
                        exec(compile(body, "README.md", "exec"), names)
                        asyncio.run(names["_main"]())  # type: ignore[operator]
                    else:
                        exec(compile(code, "README.md", "exec"), names)
        close = getattr(names.get("lukasa"), "close", None)
        if close:
            close()


if __name__ == "__main__":
    unittest.main()
