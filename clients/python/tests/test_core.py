"""The client against the real binary, and against servers that fail as servers do. Runs with and without httpx."""

from __future__ import annotations

import asyncio
import io
import json
import os
import pathlib
import socket
import tempfile
import threading
import time
import unittest
from datetime import date, datetime, timedelta, timezone
from typing import Any

import lukasa
from lukasa import AsyncLukasa, Lukasa, StandardTransport, ThreadTransport, _decode, errors
from lukasa._decode import decode, encode, encode_query, parse_time
from lukasa._stream import Lines, ServerSentEvents
from lukasa._transport import has_httpx
from lukasa.errors import parse_retry_after
from lukasa.types import Memory

from .servers import KEY, Fake, Real, send_fault, send_json, send_stream

real: Real


def setUpModule() -> None:
    global real
    real = Real()


def tearDownModule() -> None:
    real.stop()


class Base(unittest.TestCase):
    """Tests with the transport of the standard library."""

    def client(self, server: str | None = None, **options: Any) -> Lukasa:
        transport = None if self.httpx else StandardTransport()
        c = Lukasa(server or real.server, KEY, transport=transport, **options)
        self.addCleanup(c.close)
        return c

    def fake(self, handle: Any) -> Fake:
        f = Fake(handle)
        self.addCleanup(f.stop)
        return f

    httpx = False
    watched = False  # answers come from the real server, so that fields can be looked for


class TestReal(Base):
    def setUp(self) -> None:
        Base.watched = True

    def tearDown(self) -> None:
        Base.watched = False

    def test_documents(self) -> None:
        c = self.client()
        saved = c.add_document("The cat is called Miso.", container="py.docs", custom_id="cat", tags=["pets"])
        self.assertEqual(saved.container, "py.docs")
        self.assertLess(abs(saved.created_at - datetime.now(timezone.utc)), timedelta(minutes=1))
        self.assertTrue(c.add_document("The cat is called Miso.", container="py.docs").deduplicated)
        found = c.search("what is the cat called", container="py.docs")
        self.assertIn("Miso", found[0].content)
        self.assertEqual(len(list(found)), len(found))
        c.update_document(saved.id, title="Cat", metadata={"age": 3}, forget_after=date(2099, 1, 1))
        document = c.get_document(saved.id)
        self.assertEqual((document.title, document.metadata), ("Cat", {"age": 3}))
        self.assertEqual(document.forget_after, datetime(2099, 1, 1, tzinfo=timezone.utc))
        c.update_document(saved.id, forget_after=None)
        self.assertIsNone(c.get_document(saved.id).forget_after)
        again = c.add_document("The cat is called Momo.", container="py.docs", custom_id="cat")
        self.assertEqual([v.version for v in c.list_versions(again.id)], [2, 1])
        self.assertEqual(c.get_document_content(again.id), b"The cat is called Momo.")
        c.delete_document(again.id)
        with self.assertRaises(errors.NotFoundError):
            c.get_document(again.id)

    def test_lists_go_on_to_the_next_page(self) -> None:
        c = self.client()
        items = c.add_documents(
            [{"content": f"Note {i} about walruses.", "container": "py.pages"} for i in range(7)]
        )
        self.assertTrue(all(i.document and i.status in (200, 201) for i in items))
        first = c.list_documents(container="py.pages", limit=3)
        self.assertEqual((len(first.items), first.total), (3, 7))
        self.assertTrue(first.next_cursor)
        self.assertEqual(len({d.id for d in first}), 7)
        self.assertEqual(len(list(first.pages())), 3)
        self.assertEqual(len(list(c.find_documents(container="py.pages", limit=2))), 7)
        nodes = [n.id for n in c.list_graph_nodes(limit=2)]
        self.assertEqual(len(set(nodes)), c.list_graph_nodes(limit=1).total)

    def test_the_sketch_of_the_documentation(self) -> None:  # T-11
        c = Lukasa(api_key=KEY, base_url=real.server)
        self.addCleanup(c.close)
        c.add_messages(
            "planning",
            [
                {"role": "user", "content": "We decided to use Stripe for payments.", "time": datetime(2025, 3, 1)},
                {"role": "assistant", "content": "Good. The webhook handler goes into payments.go."},
            ],
            container="py.sketch",
        )
        results = c.search(query="payment webhook implementation", max_results=10)
        lines = [f"{result.topic}: {result.summary[:100]}..." for result in results]
        self.assertTrue(any("webhook" in line for line in lines))
        decisions = c.get_defining_memories(type_filter="decision", since="2025-01-01")
        lines = [f"{decision.date}: {decision.summary}" for decision in decisions]
        self.assertTrue(any("2025-0" in line and "Stripe" in line for line in lines))
        ended = c.end_conversation("planning", container="py.sketch")
        recall_file = c.get_recall_file(ended.id, include=["summary", "transcript"])
        self.assertIn("Stripe", recall_file.transcript)
        with self.assertRaises(errors.InvalidRequestError) as caught:
            c.chat(
                message="Continue working on the payment integration",
                model="claude-sonnet-4-20250514",
                memory_options={"max_memories": 5, "token_budget": 4000},
            )
        self.assertIn("llm.provider", caught.exception.hint)

    def test_uploads(self) -> None:
        c = self.client()
        with tempfile.TemporaryDirectory() as d:
            path = os.path.join(d, 'Reiher "é".md')
            with open(path, "w") as f:
                f.write("# Heron\nThe heron stands still.")
            items = c.upload(
                [path, ("b.txt", b"The stork flies far."), ("c.txt", io.BytesIO(b"Cranes dance."), "text/plain")],
                container="py.up",
                tags=["birds", "a,b"],
                metadata={"by": "test"},
                occurred_at=datetime(2026, 1, 2, tzinfo=timezone.utc),
            )
        self.assertEqual(
            [i.status for i in items], [200 if self.httpx else 201] * 3
        )  # the second run finds them there
        assert items[0].document
        document = c.get_document(items[0].document.id)
        self.assertEqual(document.metadata, {"by": "test"})
        self.assertIn("a,b", document.tags)
        self.assertEqual(document.occurred_at, datetime(2026, 1, 2, tzinfo=timezone.utc))
        with self.assertRaises(TypeError):
            c.upload([("x",)])  # type: ignore[list-item]

    def test_export_and_import(self) -> None:
        c = self.client()
        c.add_document("To be carried: naïve café.", container="py.carry")
        rows = list(c.export_data(container="py.carry"))
        self.assertGreater(len(rows), 1)
        other = Real()
        self.addCleanup(other.stop)
        with Lukasa(other.server, KEY) as target:
            report = target.import_data("\n".join(json.dumps(r, separators=(",", ":")) for r in rows))
            self.assertEqual(report.documents, 1)
            self.assertEqual(target.list_documents(container="py.carry").total, 1)

    def test_errors(self) -> None:
        c = self.client()
        with self.assertRaises(errors.InvalidRequestError) as caught:
            c.request("POST", "/v1/search", body={"query": "a", "wrong": 1})
        e = caught.exception
        self.assertEqual((e.code, e.field, e.status), ("UNKNOWN_FIELD", "wrong", 422))
        self.assertIn("there are", e.hint)
        self.assertTrue(e.request_id)
        with Lukasa(real.server, "sk_wrong") as stranger, self.assertRaises(errors.AuthenticationError):
            stranger.whoami()
        with self.assertRaises(errors.NotFoundError):
            c.get_container("no.such.place")
        with self.assertRaises(ValueError):
            c.get_memory("")

    def test_events(self) -> None:
        c = self.client()
        seen: list[str] = []
        done = threading.Event()

        def listen() -> None:
            for event in c.events():
                seen.append(event.type)
                if event.type == "document.created" and event.container == "py.events":
                    break
            done.set()

        threading.Thread(target=listen, daemon=True).start()
        for i in range(100):
            c.add_document(f"Event number {i}.", container="py.events")
            if done.wait(0.05):
                break
        self.assertTrue(done.is_set(), seen)

    def test_present_fields_are_present(self) -> None:
        """What the table calls present is in every answer of the real server, those of other tests too."""
        c = self.client()
        c.add_messages(
            "present", [{"role": "user", "content": "I decided to move to Lyon."}], container="py.present"
        )
        document = c.add_document("Bob works at Acme in Paris.", container="py.present", tags=["x"])
        memory = c.add_memory("Bob likes tea.", container="py.present")
        key, grantee = c.create_key("third", third_party=True), c.create_key("mine")
        grant = c.create_grant(subject_id=key.id, container="py.present")
        c.put_edge(memory.id, document.id, "references")
        entity = c.list_entities(q="Bob").items[0]
        user = c.create_user("Eva")
        organisation = c.create_organisation("Acme")
        file = c.upload(("f.bin.txt", "A file about otters. " * 40), container="py.present")[0]
        calls: list[Any] = [
            c.health, c.ready, c.list_audit, c.list_containers, c.list_conversations, c.list_documents, c.list_jobs,
            c.list_files, c.list_all_file_events, c.list_grants, c.get_graph, c.list_graph_nodes, c.list_import_kinds, c.list_keys,
            c.list_memories, c.list_organisations, c.get_profile, c.list_recall_files, c.list_receipts, c.get_stats, c.list_trash,
            c.list_tree, c.get_usage, c.list_users, c.whoami, c.list_defining_memories, c.list_entities, c.doctor,
            lambda: c.get_container("py.present"),
            lambda: c.get_document(document.id),
            lambda: c.list_chunks(document.id),
            lambda: c.list_versions(document.id),
            lambda: c.search("Where does Bob work?", include=["related"]),
            lambda: c.brief("Where does Bob work?"),
            lambda: c.get_memory(memory.id),
            lambda: c.update_memory(memory.id, tags=["a"]),
            lambda: c.list_history(memory.id),
            lambda: c.list_related_memories(memory.id),
            lambda: c.list_messages("present", container="py.present"),
            lambda: c.get_message_context(c.list_messages("present", container="py.present").items[0].id),
            lambda: c.list_edges(memory.id),
            lambda: c.get_neighbourhood(memory.id),
            lambda: c.get_entity(entity.id),
            lambda: c.suggest_container("Bob works in Paris."),
            lambda: c.list_children("py"),
            lambda: c.get_grant(grant.id),
            lambda: c.revoke_grant(grant.id),
            lambda: c.revoke_key(grantee.id),
            lambda: c.list_members(organisation.id),
            lambda: c.get_organisation(organisation.id),
            lambda: c.move_container("py.present", "py.moved"),
            lambda: c.delete_memory(memory.id, soft=True),
            lambda: c.list_trash(),
            lambda: c.restore_from_trash(memory.id),
            lambda: c.delete_memory(memory.id),
            lambda: c.list_receipts(),
            lambda: c.delete_user(user.id),
            lambda: c.rederive(),
            lambda: c.end_conversation("present", container="py.moved"),
            lambda: c.archive_container("py.moved"),
        ]  # fmt: skip
        self.assertTrue(file.document)
        for call in calls:
            call()
        self.assertGreater(len(SEEN), 50, SEEN)
        self.assertEqual(sorted(ABSENT), [])


SEEN: set[str] = set()
ABSENT: set[str] = set()


def watch() -> None:
    """Note which answers of the real server lack a field that the table calls present."""
    table = json.loads((pathlib.Path(__file__).parents[2] / "verbs.json").read_text())["present"]
    plain = _decode._dataclass_decoder

    def watching(kind: type) -> Any:
        make, fields = plain(kind), table.get(kind.__name__, [])

        def check(value: Any) -> Any:
            if Base.watched:
                SEEN.add(kind.__name__)
                # A grant without an end says so by a null.
                missing = [
                    f for f in fields if value.get(f) is None and not (kind.__name__ == "Grant" and f in value)
                ]
                ABSENT.update(f"{kind.__name__}.{f}" for f in missing)
            return make(value)

        return check

    _decode._dataclass_decoder = watching
    _decode.decoder.cache_clear()


watch()


class TestFaults(Base):
    def test_paths_and_queries_are_encoded(self) -> None:
        s = self.fake(lambda h, n: send_json(h, 200, {}))
        c = self.client(s.url + "/under/")
        c.get_entity("a/b?c#d é")
        c.set_member("org_1", "us/er", role="viewer")
        c.list_memories(kind=["fact", "event"], latest=True, as_of=datetime(1970, 1, 1, tzinfo=timezone.utc))
        paths = [r.path for r in s.log]
        self.assertEqual(paths[0], "/under/v1/entities/a%2Fb%3Fc%23d%20%C3%A9")
        self.assertEqual(paths[1], "/under/v1/organisations/org_1/members/us%2Fer")
        self.assertEqual(
            paths[2], "/under/v1/memories?kind=fact%2Cevent&latest=true&as_of=1970-01-01T00%3A00%3A00%2B00%3A00"
        )
        self.assertEqual(s.log[0].headers["authorization"], f"Bearer {KEY}")
        self.assertEqual(json.loads(s.log[1].body), {"role": "viewer"})

    def test_null_is_sent_only_where_it_says_something(self) -> None:
        s = self.fake(lambda h, n: send_json(h, 200, {}))
        c = self.client(s.url)
        c.update_memory("mem_1", forget_after=None, kind=None, metadata={"gone": None})
        self.assertEqual(json.loads(s.log[0].body), {"forget_after": None, "metadata": {"gone": None}})
        c.update_memory("mem_1", tags=[])
        self.assertEqual(json.loads(s.log[1].body), {"tags": []})

    def test_limits_are_waited_for(self) -> None:
        s = self.fake(
            lambda h, n: send_fault(h, 429, "RATE_LIMITED", retry_after="0.3") if n == 1 else send_json(h, 201, {})
        )
        self.client(s.url).add_messages("a", [])
        self.assertEqual(len(s.log), 2)
        self.assertGreaterEqual(s.log[1].at - s.log[0].at, 0.29)

    def test_tries_and_waits_have_an_end(self) -> None:
        s = self.fake(lambda h, n: send_fault(h, 429, "RATE_LIMITED", True, retry_after="0.01"))
        with self.assertRaises(errors.RateLimitError) as caught:
            self.client(s.url, tries=3).search("x")
        self.assertEqual((len(s.log), caught.exception.retry_after), (3, 0.01))
        with self.assertRaises(errors.RateLimitError):
            self.client(s.url, tries=3).with_options(tries=1).search("x")
        self.assertEqual(len(s.log), 4)
        far = self.fake(lambda h, n: send_fault(h, 503, "UNAVAILABLE", True, retry_after="3600"))
        with self.assertRaises(errors.ServerError):
            self.client(far.url).search("x")
        self.assertEqual(len(far.log), 1)

    def test_what_must_not_be_sent_twice_is_not(self) -> None:
        def hang_up(h: Any, n: int) -> None:
            h.close_connection = True
            h.connection.shutdown(socket.SHUT_RDWR)

        s = self.fake(hang_up)
        c = self.client(s.url, tries=2)
        with self.assertRaises(errors.ConnectionFailedError):
            c.add_messages("a", [])
        self.assertEqual(len(s.log), 1)
        with self.assertRaises(errors.ConnectionFailedError):
            c.search("x")
        self.assertEqual(len(s.log), 3)
        full = self.fake(lambda h, n: send_fault(h, 503, "STORAGE_ERROR", True))
        with self.assertRaises(errors.ServerError):
            self.client(full.url).add_document("x")
        self.assertEqual(len(full.log), 1)

        def gateway(h: Any, n: int) -> None:
            if n > 1:
                return send_json(h, 200, {"results": []})
            h.send_response(502)
            h.send_header("content-length", "3")
            h.end_headers()
            h.wfile.write(b"<h>")

        self.assertEqual(len(self.client(self.fake(gateway).url).search("x")), 0)

    def test_timeouts(self) -> None:
        s = self.fake(lambda h, n: time.sleep(8))
        began = time.monotonic()
        with self.assertRaises(errors.RequestTimeoutError):
            self.client(s.url, timeout=0.1, tries=1).search("x")
        self.assertLess(time.monotonic() - began, 6)

    def test_no_server_and_no_lukasa(self) -> None:
        with self.assertRaises(errors.ConnectionFailedError) as caught:
            self.client("http://127.0.0.1:9", tries=1).whoami()
        self.assertIn("lukasa serve", str(caught.exception))

        def page(h: Any, n: int) -> None:
            h.send_response(200)
            h.send_header("content-length", "6")
            h.end_headers()
            h.wfile.write(b"<html>")

        with self.assertRaisesRegex(errors.ConnectionFailedError, "not JSON"):
            self.client(self.fake(page).url, tries=1).whoami()
        for bad in ("localhost", "ftp://a", "http://a/?x=1"):
            with self.assertRaises(ValueError):
                Lukasa(bad)

    def test_a_sleeping_file_is_asked_for_again(self) -> None:
        def sleepy(h: Any, n: int) -> None:
            if n < 3:
                return send_json(h, 202, {"state": "rehydrating"}, retry_after="0.02")
            h.send_response(200)
            h.send_header("content-length", "2")
            h.end_headers()
            h.wfile.write(b"\xff\x00")

        s = self.fake(sleepy)
        self.assertEqual(self.client(s.url).get_file_content("file_1"), b"\xff\x00")
        self.assertEqual(len(s.log), 3)

    def test_connections_are_kept_and_replaced(self) -> None:
        def sometimes_close(h: Any, n: int) -> None:
            send_json(h, 201, {})
            if n == 3:
                h.close_connection = True

        s = self.fake(sometimes_close)
        c = self.client(s.url)
        for _ in range(6):
            c.add_messages("a", [])  # not safe: a dead connection must be noticed before it is used
            time.sleep(0.02)
        self.assertEqual((len(s.log), s.connections), (6, 2))

    def test_chat(self) -> None:
        def model(h: Any, n: int) -> None:
            if not json.loads(s.log[-1].body).get("stream"):
                return send_json(h, 200, {"response": "whole", "memories_used": [{"topic": "x"}]})
            ends = {
                2: 'event: done\ndata: {"response":"Hello you","id":"msg_2"}\n\n',
                3: 'event: error\ndata: {"error":{"code":"EXTERNAL_ERROR","message":"gone"}}\n\n',
            }
            send_stream(
                h,
                'event: delta\ndata: {"text":"Hel',
                'lo"}\n\nevent: delta\ndata: {"text":" you"}\n\n',
                ends.get(n, ""),
            )

        s = self.fake(model)
        c = self.client(s.url)
        reply = c.chat("hi")
        self.assertEqual((reply.content, len(reply.memories_used)), ("whole", 1))
        self.assertTrue(json.loads(s.log[0].body)["id"].startswith("chat-"))
        stream = c.chat_stream("hi", id="mine")
        self.assertEqual(list(stream), ["Hello", " you"])
        self.assertEqual(stream.reply.id, "msg_2")
        self.assertEqual(json.loads(s.log[1].body)["id"], "mine")
        with self.assertRaisesRegex(errors.LukasaError, "gone"):
            list(c.chat_stream("hi"))
        with self.assertRaisesRegex(errors.ConnectionFailedError, "broke off"):
            list(c.chat_stream("hi"))

    def test_events_are_taken_up_again(self) -> None:
        s = self.fake(
            lambda h, n: send_stream(
                h, ": hi\n\n", f'event: node.created\ndata: {{"id":"e{n}","type":"node.created"}}\n\n'
            )
        )
        seen = []
        for event in self.client(s.url, max_wait=0.01).events():
            seen.append(event.type + event.id)
            if len(seen) == 3:
                break
        self.assertEqual(seen, ["node.createde1", "stream.gap", "node.createde2"])


@unittest.skipUnless(has_httpx(), "needs httpx: pip install httpx")
class TestRealHttpx(TestReal):
    httpx = True


@unittest.skipUnless(has_httpx(), "needs httpx: pip install httpx")
class TestFaultsHttpx(TestFaults):
    httpx = True


class TestAsync(unittest.IsolatedAsyncioTestCase):
    httpx = False

    def client(self, server: str | None = None, **options: Any) -> AsyncLukasa:
        transport = None if self.httpx else ThreadTransport()
        c = AsyncLukasa(server or real.server, KEY, transport=transport, **options)
        self.addAsyncCleanup(c.close)
        return c

    def fake(self, handle: Any) -> Fake:
        f = Fake(handle)
        self.addCleanup(f.stop)
        return f

    async def test_verbs(self) -> None:
        c = self.client()
        place = f"py.async{int(self.httpx)}"
        await asyncio.gather(*(c.add_document(f"Async note {i}.", container=place) for i in range(7)))
        page = await c.list_documents(container=place, limit=3)
        self.assertEqual((len(page.items), page.total), (3, 7))
        self.assertEqual(len([d async for d in c.list_documents(container=place, limit=3)]), 7)
        self.assertEqual(len([p async for p in c.list_documents(container=place, limit=3).pages()]), 3)
        found = await c.search("async note", container=place)
        self.assertTrue(found[0].content.startswith("Async note"))
        rows = [row async for row in c.export_data(container=place)]
        self.assertGreater(len(rows), 7)
        items = await c.upload(("a.txt", "An uploaded text."), container=place)
        self.assertEqual(len(items), 1)
        with self.assertRaises(errors.NotFoundError):
            await c.get_container("no.such")

    async def test_events(self) -> None:
        c = self.client()

        async def first() -> str:
            async for event in c.events():
                if event.type == "document.created":
                    return event.record_id
            return ""

        waiting = asyncio.create_task(first())
        for i in range(100):
            await c.add_document(f"Async event {i} {self.httpx}.")
            if (await asyncio.wait([waiting], timeout=0.05))[0]:
                break
        self.assertTrue((await waiting).startswith("doc_"))

    async def test_a_cancelled_loop_ends(self) -> None:
        c = self.client()

        async def forever() -> None:
            async for _ in c.events():
                pass

        task = asyncio.create_task(forever())
        await asyncio.sleep(0.3)
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await asyncio.wait_for(task, 5)

    async def test_chat_and_faults(self) -> None:
        def model(h: Any, n: int) -> None:
            if n == 1:
                return send_fault(h, 429, "RATE_LIMITED", retry_after="0.01")
            send_stream(h, 'event: delta\ndata: {"text":"Hi"}\n\n', 'event: done\ndata: {"response":"Hi"}\n\n')

        s = self.fake(model)
        stream = self.client(s.url).chat_stream("hi")
        self.assertEqual([t async for t in stream], ["Hi"])
        self.assertEqual(stream.reply.content, "Hi")
        slow = self.fake(lambda h, n: time.sleep(8))
        with self.assertRaises(errors.RequestTimeoutError):
            await self.client(slow.url, timeout=0.1, tries=1).search("x")


@unittest.skipUnless(has_httpx(), "needs httpx: pip install httpx")
class TestAsyncHttpx(TestAsync):
    httpx = True


class TestParts(unittest.TestCase):
    def test_times(self) -> None:
        utc = timezone.utc
        for text, want in {
            "2026-11-24T06:18:07.283051951Z": datetime(2026, 11, 24, 6, 18, 7, 283051, utc),
            "2026-11-24T06:18:07Z": datetime(2026, 11, 24, 6, 18, 7, 0, utc),
            "2026-11-24T06:18:07.5-01:30": datetime(2026, 11, 24, 7, 48, 7, 500000, utc),
            "2026-11-24": datetime(2026, 11, 24, tzinfo=utc),
        }.items():
            self.assertEqual(parse_time(text), want)
        with self.assertRaises(ValueError):
            parse_time("soon")
        self.assertEqual(encode_query([True, date(2026, 1, 2), 3]), "true,2026-01-02,3")
        self.assertTrue(encode(datetime(2026, 1, 2)).startswith("2026-01-02T00:00:00"))
        self.assertIn(encode(datetime(2026, 1, 2))[-6], "+-")

    def test_answers_keep_what_is_not_known(self) -> None:
        m = decode(Memory, {"id": "mem_1", "new_field": 1, "tags": None, "sources": [{"quote": "x"}]})
        self.assertEqual((m.id, m.extra, m.tags, m.sources[0].quote), ("mem_1", {"new_field": 1}, [], "x"))

    def test_events_in_any_pieces_give_the_same(self) -> None:
        text = "\ufeff: c\r\nid: 1\r\nevent: a\r\ndata: x\r\ndata:y\r\n\r\ndata\n\ndata: é\rid: 2\r\revent: lost\n\ndata: tail"
        data = text.encode()
        for size in range(1, len(data) + 1):
            parser = ServerSentEvents()
            got = [
                (e.event, e.data, e.id) for i in range(0, len(data), size) for e in parser.feed(data[i : i + size])
            ]
            self.assertEqual(got, [("a", "x\ny", "1"), ("message", "", "1"), ("message", "é", "2")], size)
        lines = Lines()
        self.assertEqual([lines.feed(b"a\nb\r"), lines.feed(b"\nc"), lines.feed(b"", True)], [["a"], ["b"], ["c"]])

    def test_retry_after(self) -> None:
        now = datetime(2026, 11, 24, tzinfo=timezone.utc).timestamp()
        self.assertEqual(parse_retry_after("5", now), 5)
        self.assertEqual(parse_retry_after("Tue, 24 Nov 2026 00:00:07 GMT", now), 7)
        self.assertEqual(parse_retry_after("Tue, 24 Nov 2025 00:00:07 GMT", now), 0)
        self.assertIsNone(parse_retry_after("soon", now))
        self.assertIsNone(parse_retry_after("", now))

    def test_names(self) -> None:
        for name in lukasa.__all__:
            self.assertTrue(hasattr(lukasa, name), name)


if __name__ == "__main__":
    unittest.main()
