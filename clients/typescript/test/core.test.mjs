// The client against the real binary, and against servers that fail as servers do.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import * as sdk from "../dist/esm/index.js";
import { retryAfter } from "../dist/esm/errors.js";
import { sse } from "../dist/esm/sse.js";
import { table } from "../dist/esm/verbs.js";
import { fake, fault, json, start } from "./server.mjs";

const { Lukasa } = sdk;
let real;
let lukasa;

before(async () => {
  real = await start();
  lukasa = new Lukasa({ server: real.server, key: real.key });
});
after(() => real?.stop());

test("the CommonJS build has the same names", () => {
  const cjs = createRequire(import.meta.url)("../dist/cjs/index.js");
  assert.deepEqual(Object.keys(cjs).sort(), Object.keys(sdk).sort());
  assert.equal(typeof new cjs.Lukasa({ server: real.server }).search, "function");
});

test("every verb of the table is a method", () => {
  for (const name of Object.keys(table)) assert.equal(typeof lukasa[name], "function", name);
  assert.ok(Object.keys(table).length > 80);
});

test("documents: add, find, change, versions, content, delete", async () => {
  const saved = await lukasa.addDocument({
    content: "The cat is called Miso.",
    container: "ts.docs",
    custom_id: "cat",
    tags: ["pets"],
  });
  assert.equal(saved.container, "ts.docs");
  assert.equal(
    (await lukasa.addDocument({ content: "The cat is called Miso.", container: "ts.docs" })).deduplicated,
    true,
  );
  const found = await lukasa.search({ query: "what is the cat called", container: "ts.docs" });
  assert.match(found.results[0].content, /Miso/);
  await lukasa.updateDocument(saved.id, { title: "Cat", metadata: { age: 3 }, forget_after: new Date("2099-01-01") });
  const document = await lukasa.getDocument(saved.id);
  assert.equal(document.title, "Cat");
  assert.deepEqual(document.metadata, { age: 3 });
  assert.equal(document.forget_after, "2099-01-01T00:00:00Z");
  const next = await lukasa.addDocument({
    content: "The cat is called Momo.",
    container: "ts.docs",
    custom_id: "cat",
  });
  assert.deepEqual(
    (await lukasa.listVersions(next.id).all()).map((v) => v.version),
    [2, 1],
  );
  assert.equal(await (await lukasa.getDocumentContent(next.id)).text(), "The cat is called Momo.");
  assert.equal((await lukasa.deleteDocument(next.id)).documents, 1);
  await assert.rejects(lukasa.getDocument(next.id), sdk.NotFoundError);
});

test("a string is the main field: of search, brief, addDocument, addMemory", async () => {
  await lukasa.addMemory("Ana lives in Lyon.");
  assert.ok((await lukasa.search("where does Ana live")).results.length > 0);
  const brief = await lukasa.brief("where does Ana live");
  assert.match(brief.text, /Lyon/);
  assert.ok(brief.tokens > 0);
});

test("lists go on to the next page", async () => {
  const texts = Array.from({ length: 7 }, (_, i) => `Note number ${i} about walruses.`);
  const items = await lukasa.addDocuments({
    documents: texts.map((content) => ({ content, container: "ts.pages" })),
  });
  assert.deepEqual(
    items.map((i) => i.status),
    Array(7).fill(201),
  );
  const page = await lukasa.listDocuments({ container: "ts.pages", limit: 3 });
  assert.equal(page.items.length, 3);
  assert.equal(page.total, 7);
  assert.notEqual(page.next_cursor, "");
  const all = await lukasa.listDocuments({ container: "ts.pages", limit: 3 }).all();
  assert.deepEqual(all.map((d) => d.content ?? d.summary).length, 7);
  assert.equal(new Set(all.map((d) => d.id)).size, 7);
  assert.equal((await lukasa.findDocuments({ container: "ts.pages", limit: 2 }).all()).length, 7);
  assert.equal((await lukasa.listDocuments({ container: "ts.pages", limit: 3 }).all(4)).length, 4);
  let pages = 0;
  for await (const _ of lukasa.listDocuments({ container: "ts.pages", limit: 3 }).pages()) pages++;
  assert.equal(pages, 3);
});

test("a list without cursors goes on by its offset", async () => {
  for (const name of ["ts.off.a", "ts.off.b", "ts.off.c"]) await lukasa.createContainer({ container: name });
  const nodes = await lukasa.listGraphNodes({ limit: 2 }).all();
  const { total } = await lukasa.listGraphNodes({ limit: 1 });
  assert.equal(nodes.length, total);
  assert.equal(new Set(nodes.map((n) => n.id)).size, total);
});

test("conversations: add messages, list, end, recall file with parts, defining memories", async () => {
  const added = await lukasa.addMessages({
    conversation: "ts-plan",
    container: "ts.talk",
    messages: [
      {
        id: "m1",
        role: "user",
        content: "We decided to use Stripe for payments.",
        time: new Date("2025-03-01T10:00:00Z"),
      },
      { id: "m2", role: "assistant", content: "Good, the webhook handler goes into payments.go." },
    ],
  });
  assert.equal(added.logged, 2);
  const messages = await lukasa.listMessages(added.conversation_id).all();
  assert.deepEqual(
    messages.map((m) => m.external_id),
    ["m1", "m2"],
  );
  const file = await lukasa.endConversation(added.conversation_id);
  const whole = await lukasa.getRecallFile(file.id, { include: ["summary", "transcript"] });
  assert.match(whole.transcript, /Stripe/);
  const defining = await lukasa.listDefiningMemories({
    type: ["decision"],
    since: "2025-01-01",
    container: "ts.talk",
  });
  assert.match(defining.items[0].summary, /Stripe/);
  const moved = await lukasa.updateConversation("ts-plan", { within: "ts.talk", title: "Payments" });
  assert.equal(moved.title, "Payments");
});

test("upload: files by name, bytes and as File; metadata, tags and times as values", async () => {
  const files = [
    { name: "a.md", data: "# Heron\nThe heron stands still.", type: "text/markdown" },
    { name: "b.txt", data: new TextEncoder().encode("The stork flies far.") },
    new File(["Cranes dance."], "c.txt", { type: "text/plain" }),
  ];
  const input = {
    container: "ts.up",
    tags: ["birds", "a,b"],
    metadata: { by: "test" },
    occurred_at: new Date("2026-01-02"),
  };
  const items = await lukasa.upload(files, input);
  assert.deepEqual(
    items.map((i) => i.status),
    [201, 201, 201],
  );
  const document = await lukasa.getDocument(items[0].document.id);
  assert.deepEqual(document.metadata, { by: "test" });
  assert.ok(document.tags.includes("birds"));
  assert.equal(document.occurred_at, "2026-01-02T00:00:00Z");
  assert.equal(items[0].document.content_type, "markdown");
});

test("export is read line by line and can be taken in again", async () => {
  await lukasa.addDocument({ content: "To be carried.", container: "ts.carry" });
  const rows = [];
  for await (const row of lukasa.exportData({ container: "ts.carry" })) rows.push(row);
  assert.ok(rows.length > 1);
  const other = await start({ LUKASA_LOG_LEVEL: "error" });
  try {
    const target = new Lukasa(other);
    const report = await target.importData(rows.map((r) => JSON.stringify(r)).join("\n"));
    assert.equal(report.documents, 1);
    assert.equal((await target.listDocuments({ container: "ts.carry" })).total, 1);
  } finally {
    other.stop();
  }
});

test("errors have a class, code, hint, field and request id", async () => {
  const unknown = await lukasa.search({ query: "a", wrong: 1 }).catch((e) => e);
  assert.ok(unknown instanceof sdk.InvalidRequestError);
  assert.equal(unknown.code, "UNKNOWN_FIELD");
  assert.equal(unknown.field, "wrong");
  assert.match(unknown.hint, /there are/);
  assert.notEqual(unknown.requestId, "");
  assert.equal(unknown.status, 422);
  const nobody = await new Lukasa({ server: real.server, key: "sk_wrong" }).whoami().catch((e) => e);
  assert.ok(nobody instanceof sdk.AuthenticationError);
  await assert.rejects(lukasa.getContainer("no.such.place"), sdk.NotFoundError);
  assert.throws(() => lukasa.getMemory(""), /give a string/);
  const silent = await lukasa.chat("Hello?").catch((e) => e);
  assert.ok(silent instanceof sdk.InvalidRequestError);
  assert.match(silent.hint, /llm\.provider/);
});

test("events arrive, and the loop's end closes the stream", async () => {
  const stop = new AbortController();
  const seen = [];
  const loop = (async () => {
    for await (const event of lukasa.events({ signal: stop.signal })) {
      seen.push(event);
      if (event.type === "document.created") return;
    }
  })();
  for (let i = 0; i < 100 && !seen.some((e) => e.type === "document.created"); i++) {
    await lukasa.addDocument({ content: `Event number ${i}.`, container: "ts.events" });
    await new Promise((done) => setTimeout(done, 30));
  }
  await loop;
  const created = seen.find((e) => e.type === "document.created");
  assert.equal(created.container, "ts.events");
  assert.match(created.record_id, /^doc_/);
});

test("a path is encoded, so that a name cannot reach another address", async () => {
  const s = await fake((req, res) => json(res, 200, {}));
  const c = new Lukasa({ server: s.url + "/under/", key: "k" });
  await c.getEntity("a/b?c#d é");
  await c.setMember("org_1", "us/er", { role: "viewer" });
  await c.listMemories({ kind: ["fact", "event"], latest: true, as_of: new Date(0), tag: undefined });
  assert.deepEqual(
    s.log.map((l) => l.url),
    [
      "/under/v1/entities/a%2Fb%3Fc%23d%20%C3%A9",
      "/under/v1/organisations/org_1/members/us%2Fer",
      "/under/v1/memories?kind=fact%2Cevent&latest=true&as_of=1970-01-01T00%3A00%3A00.000Z",
    ],
  );
  assert.equal(s.log[0].headers.authorization, "Bearer k");
  assert.equal(s.log[1].body, '{"role":"viewer"}');
  s.stop();
});

test("429 is waited for as Retry-After says, for every call", async () => {
  const s = await fake((req, res, body, n) =>
    n === 1 ? fault(res, 429, "RATE_LIMITED", {}, { "retry-after": "0.3" }) : json(res, 201, { id: "x" }),
  );
  const c = new Lukasa({ server: s.url });
  await c.addMessages({ conversation: "a", messages: [] });
  assert.equal(s.log.length, 2);
  assert.ok(s.log[1].at - s.log[0].at >= 290);
  s.stop();
});

test("tries and waits have an end", async () => {
  const s = await fake((req, res) => fault(res, 429, "RATE_LIMITED", { retryable: true }, { "retry-after": "0.01" }));
  const c = new Lukasa({ server: s.url, tries: 3 });
  const e = await c.search("x").catch((x) => x);
  assert.ok(e instanceof sdk.RateLimitError);
  assert.equal(e.retryAfter, 0.01);
  assert.equal(s.log.length, 3);
  await assert.rejects(c.search("x", { tries: 1 }), sdk.RateLimitError);
  assert.equal(s.log.length, 4);
  s.stop();
  const far = await fake((req, res) =>
    fault(res, 503, "UNAVAILABLE", { retryable: true }, { "retry-after": "3600" }),
  );
  await assert.rejects(new Lukasa({ server: far.url }).search("x"), sdk.ServerError);
  assert.equal(far.log.length, 1);
  far.stop();
});

test("what must not be sent twice is not; what may be is", async () => {
  const broken = await fake((req, res) => res.destroy());
  const c = new Lukasa({ server: broken.url, tries: 2 });
  await assert.rejects(c.addMessages({ conversation: "a", messages: [] }), sdk.ConnectionError);
  assert.equal(broken.log.length, 1);
  await assert.rejects(c.search("x"), sdk.ConnectionError);
  assert.equal(broken.log.length, 3);
  broken.stop();
  const gateway = await fake((req, res, body, n) => {
    if (n > 1) return json(res, 200, { results: [] });
    res.writeHead(502, { "content-type": "text/html" });
    res.end("<h1>Bad gateway</h1>");
  });
  assert.deepEqual((await new Lukasa({ server: gateway.url }).search("x")).results, []);
  gateway.stop();
  const full = await fake((req, res) => fault(res, 503, "STORAGE_ERROR", { retryable: true }));
  await assert.rejects(new Lukasa({ server: full.url }).addDocument("x"), { code: "STORAGE_ERROR" });
  assert.equal(full.log.length, 1);
  full.stop();
});

test("timeouts and signals end calls", async () => {
  const slow = await fake(() => undefined);
  const c = new Lukasa({ server: slow.url, timeout: 80, tries: 1 });
  await assert.rejects(c.search("x"), sdk.TimeoutError);
  const stop = new AbortController();
  setTimeout(() => stop.abort(new Error("enough")), 30);
  await assert.rejects(c.search("x", { signal: stop.signal, timeout: 0 }), /enough/);
  await new Promise((done) => setTimeout(done, 100));
  const sent = slow.log.length;
  await assert.rejects(c.search("x", { signal: AbortSignal.abort(new Error("before")) }), /before/);
  assert.equal(slow.log.length, sent, "a call that was ended before is not sent");
  slow.stop();
  const drips = await fake((req, res) => {
    res.writeHead(200, { "content-type": "application/json" });
    res.write("{");
  });
  await assert.rejects(new Lukasa({ server: drips.url, timeout: 80, tries: 1 }).whoami(), sdk.TimeoutError);
  drips.stop();
  const busy = await fake((req, res) => fault(res, 429, "RATE_LIMITED", {}, { "retry-after": "20" }));
  const later = new AbortController();
  setTimeout(() => later.abort(new Error("while waiting")), 50);
  await assert.rejects(new Lukasa({ server: busy.url }).search("x", { signal: later.signal }), /while waiting/);
  busy.stop();
});

test("no server, no lukasa, no address", async () => {
  const c = new Lukasa({ server: "http://127.0.0.1:9", tries: 1 });
  const e = await c.whoami().catch((x) => x);
  assert.ok(e instanceof sdk.ConnectionError);
  assert.match(e.message, /lukasa serve/);
  const other = await fake((req, res) => res.end("<html>"));
  await assert.rejects(new Lukasa({ server: other.url, tries: 1 }).whoami(), /not JSON/);
  other.stop();
  assert.throws(() => new Lukasa({ server: "localhost" }), /is not an address/);
  assert.throws(() => new Lukasa({ server: "ftp://a" }), /address/);
});

test("a sleeping file is asked for again", async () => {
  const s = await fake((req, res, body, n) => {
    if (n < 3) return json(res, 202, { state: "rehydrating" }, { "retry-after": "0.02" });
    res.writeHead(200, { "content-type": "application/json" });
    res.end(Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d, 0xff]));
  });
  const answer = await new Lukasa({ server: s.url }).getFileContent("file_1");
  assert.deepEqual([...new Uint8Array(await answer.arrayBuffer())], [0xef, 0xbb, 0xbf, 0x7b, 0x7d, 0xff]);
  assert.equal(s.log.length, 3);
  s.stop();
});

test("chat: text as it is written, then the reply; errors in between", async () => {
  const s = await fake((req, res, body, n) => {
    if (!JSON.parse(body).stream) return json(res, 200, { response: "whole", id: "msg_1" });
    res.writeHead(200, { "content-type": "text/event-stream" });
    res.write('event: delta\ndata: {"text":"Hel');
    res.write('lo"}\n\nevent: delta\ndata: {"text":" you"}\n\n');
    if (n === 2) res.end('event: done\ndata: {"response":"Hello you","id":"msg_2"}\n\n');
    else if (n === 3) res.end('event: error\ndata: {"error":{"code":"EXTERNAL_ERROR","message":"gone"}}\n\n');
    else res.end();
  });
  const c = new Lukasa({ server: s.url });
  assert.equal((await c.chat("hi")).response, "whole");
  assert.match(JSON.parse(s.log[0].body).id, /^chat-/);
  const stream = c.chatStream({ message: "hi", id: "mine" });
  let text = "";
  for await (const part of stream) text += part;
  assert.equal(text, "Hello you");
  assert.equal((await stream.reply).id, "msg_2");
  assert.equal(JSON.parse(s.log[1].body).id, "mine");
  await assert.rejects(c.chatStream("hi").done(), { code: "EXTERNAL_ERROR", message: "gone" });
  await assert.rejects(c.chatStream("hi").done(), /broke off/);
  s.stop();
});

test("events are taken up again after a break, with a gap", async () => {
  const s = await fake((req, res, body, n) => {
    res.writeHead(200, { "content-type": "text/event-stream" });
    res.write(`: hello\n\nid: e${n}\nevent: node.created\ndata: {"id":"e${n}","type":"node.created"}\n\n`);
    if (n === 1) setTimeout(() => res.destroy(), 20);
  });
  const seen = [];
  for await (const event of new Lukasa({ server: s.url, maxWait: 10 }).events()) {
    seen.push(event.type + event.id);
    if (seen.length === 3) break;
  }
  assert.deepEqual(seen, ["node.createde1", "stream.gap", "node.createde2"]);
  s.stop();
});

test("server-sent events in any pieces give the same", async () => {
  const text =
    "\uFEFF: c\r\nid: 1\r\nevent: a\r\ndata: x\r\ndata:y\r\n\r\ndata\n\ndata: é\rid: 2\r\revent: lost\n\ndata: tail";
  const bytes = new TextEncoder().encode(text);
  const want = [
    { event: "a", data: "x\ny", id: "1" },
    { event: "message", data: "", id: "1" },
    { event: "message", data: "é", id: "2" },
  ];
  for (let size = 1; size <= bytes.length; size++) {
    const body = new ReadableStream({
      start(c) {
        for (let i = 0; i < bytes.length; i += size) c.enqueue(bytes.slice(i, i + size));
        c.close();
      },
    });
    const got = [];
    for await (const e of sse(body)) got.push(e);
    assert.deepEqual(got, want, `in pieces of ${size}`);
  }
});

test("Retry-After is a number of seconds or a date", () => {
  const read = (v) =>
    retryAfter(new Headers(v === undefined ? {} : { "retry-after": v }), Date.parse("Tue, 24 Nov 2026 00:00:00 GMT"));
  assert.equal(read("5"), 5);
  assert.equal(read("Tue, 24 Nov 2026 00:00:07 GMT"), 7);
  assert.equal(read("Tue, 24 Nov 2025 00:00:07 GMT"), 0);
  assert.equal(read("soon"), undefined);
  assert.equal(read(undefined), undefined);
});
