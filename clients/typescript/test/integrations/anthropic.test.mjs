// Anthropic's memory tool: the same answers as the package's own tool over files, and a run of its tool runner.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { betaMemoryTool } from "@anthropic-ai/sdk/helpers/beta/memory";
import { BetaLocalFilesystemMemoryTool } from "@anthropic-ai/sdk/tools/memory/node";
import { Lukasa } from "../../dist/esm/index.js";
import { memoryToolHandlers } from "../../dist/esm/anthropic.js";
import { fake, json, start } from "../server.mjs";

let server;
let client;
before(async () => {
  server = await start();
  client = new Lukasa(server);
});
after(() => server?.stop());

function seeded(seed) {
  return () => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed / 2147483648;
  };
}

async function answer(handlers, command) {
  const text = await handlers[command.command](command).then(String, (e) => `error: ${e.message}`);
  // What a directory takes is the file system's affair.
  return text.replaceAll(/^[\d.]+[BKM](\t\S+\/|\t\/memories)$/gm, "4K$1");
}

test("the same as the tool over files", async () => {
  const random = seeded(11);
  const pick = (list) => list[Math.floor(random() * list.length)];
  const int = (from, to) => from + Math.floor(random() * (to - from));
  const folder = mkdtempSync(join(tmpdir(), "lukasa-memory-"));
  const ours = memoryToolHandlers({ client, container: "an-same" });
  const reference = await BetaLocalFilesystemMemoryTool.init(folder);
  const files = [
    "/memories/a.md",
    "/memories/d/b.md",
    "/memories/d/e/c.txt",
    "/memories/.hidden",
    "/memories/d/../a.md",
  ];
  const texts = ["", "one", "one\ntwo\nthree\n", "a\n\nb\r\nc\n", "x".repeat(1500), "same\nsame\n", "naïve ☕\n"];
  for (const path of ["/memories/keep", "/memories/d/keep", "/memories/d/e/keep"]) {
    for (const tool of [ours, reference]) await tool.create({ command: "create", path, file_text: "keep" });
  }
  const seen = new Set();
  try {
    for (let step = 0; step < 200; step++) {
      const path = pick(files);
      const command = pick([
        { command: "view", path },
        { command: "view", path, view_range: [int(1, 4), pick([-1, 1, 2, 9])] },
        { command: "view", path: pick(["/memories", "/memories/d", "/memories/none", "/etc"]) },
        { command: "create", path, file_text: pick(texts) },
        { command: "str_replace", path, old_str: pick(["one", "same", "b"]), new_str: "new" },
        { command: "insert", path, insert_line: int(-1, 5), insert_text: "in\n" },
        { command: "delete", path },
        { command: "delete", path: "/memories" },
        { command: "rename", old_path: path, new_path: pick(files) },
        { command: "view", path: "/memories/../secret" },
      ]);
      const [got, want] = [await answer(ours, command), await answer(reference, command)];
      assert.equal(got, want, `step ${step}: ${JSON.stringify(command)}`);
      seen.add(want.replace(/[/`][^]*/, "").slice(0, 40));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  assert.ok(seen.size > 10, [...seen].join("; "));
});

test("the tool runner", async () => {
  const api = await fake((req, res, body, n) => {
    const input = { command: "create", path: "/memories/tea.md", file_text: "Ana likes tea." };
    const block = n === 1 ? { type: "tool_use", id: "t1", name: "memory", input } : { type: "text", text: "Noted." };
    const head = {
      id: `m${n}`,
      type: "message",
      role: "assistant",
      model: "m",
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    json(res, 200, { ...head, content: [block], stop_reason: n === 1 ? "tool_use" : "end_turn" });
  });
  const model = new Anthropic({ baseURL: api.url, apiKey: "k" });
  const tools = [betaMemoryTool(memoryToolHandlers({ client, container: "an-run" }))];
  const messages = [{ role: "user", content: "I like tea." }];
  const final = await model.beta.messages.toolRunner({ model: "m", max_tokens: 100, messages, tools });
  assert.equal(final.content[0].text, "Noted.");
  assert.match(api.log[1].body, /created successfully/);
  assert.match(
    (await client.search({ query: "what does Ana drink", container: "an-run" })).results[0].content,
    /tea/,
  );
  api.stop();
});
