"""What the tests of integrations share: a real server, and a container for each test."""

from __future__ import annotations

import asyncio
import unittest

from lukasa import AsyncLukasa, Lukasa

from ..servers import Real


class Integration(unittest.TestCase):
    """Tests with a client over a server of their own."""

    server: Real

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = Real()
        cls.addClassCleanup(cls.server.stop)

    def setUp(self) -> None:
        self.client = Lukasa(self.server.server, self.server.key)
        self.addCleanup(self.client.close)
        self.container = "t-" + self._testMethodName.removeprefix("test_").replace("_", "-")[:50]


class AsyncIntegration(unittest.IsolatedAsyncioTestCase):
    """Tests with an asynchronous client over a server of their own."""

    server: Real

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = Real()
        cls.addClassCleanup(cls.server.stop)

    async def asyncSetUp(self) -> None:
        self.client = AsyncLukasa(self.server.server, self.server.key)
        self.addAsyncCleanup(self.client.close)
        self.sync_client = Lukasa(self.server.server, self.server.key)
        self.addCleanup(self.sync_client.close)
        self.container = "t-" + self._testMethodName.removeprefix("test_").replace("_", "-")[:50]
        asyncio.get_running_loop().slow_callback_duration = 10
