// The Vercel AI SDK, with its real package and its mock model.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { generateText, isStepCount, stepCountIs, streamText, wrapLanguageModel } from "ai";
import { convertArrayToReadableStream, MockLanguageModelV4 } from "ai/test";
import { Lukasa } from "../../dist/esm/index.js";
import { memoryMiddleware, memoryTools } from "../../dist/esm/ai.js";
import { start } from "../server.mjs";

let server;
let client;
before(async () => {
  server = await start();
  client = new Lukasa(server);
});
after(() => server?.stop());

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const finish = (unified) => ({ finishReason: { unified, raw: unified }, usage, warnings: [] });
const said = async (conversation, container) =>
  (await client.listMessages(conversation, { container }).all()).map((m) => m.content);

test("the middleware adds what is relevant and keeps what was said", async () => {
  const container = "ai-gen";
  await client.addDocument({ content: "The launch is on Friday.", container });
  const base = new MockLanguageModelV4({
    doGenerate: async () => ({ content: [{ type: "text", text: "On Friday." }], ...finish("stop") }),
  });
  const model = wrapLanguageModel({
    model: base,
    middleware: memoryMiddleware({ client, container, conversation: "t" }),
  });
  const { text } = await generateText({ model, system: "Be brief.", prompt: "When is the launch?" });
  assert.equal(text, "On Friday.");
  const [system, user] = base.doGenerateCalls[0].prompt;
  assert.equal(system.content, "Be brief.");
  assert.match(user.content[0].text, /The launch is on Friday\./);
  assert.equal(user.content.at(-1).text, "When is the launch?");
  assert.deepEqual(await said("t", container), ["When is the launch?", "On Friday."]);
});

test("a stream goes through as it is, and is kept at its end", async () => {
  const container = "ai-stream";
  const parts = [
    { type: "stream-start", warnings: [] },
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: "On " },
    { type: "text-delta", id: "1", delta: "Friday." },
    { type: "text-end", id: "1" },
    { type: "finish", ...finish("stop") },
  ];
  const base = new MockLanguageModelV4({ doStream: async () => ({ stream: convertArrayToReadableStream(parts) }) });
  const model = wrapLanguageModel({
    model: base,
    middleware: memoryMiddleware({ client, container, conversation: "t" }),
  });
  const pieces = [];
  for await (const piece of streamText({ model, prompt: "When?" }).textStream) pieces.push(piece);
  assert.deepEqual(pieces, ["On ", "Friday."]);
  assert.deepEqual(await said("t", container), ["When?", "On Friday."]);
});

test("without a server the model is asked all the same", async () => {
  const faults = [];
  const away = new Lukasa({ server: "http://127.0.0.1:9", tries: 1 });
  const base = new MockLanguageModelV4({
    doGenerate: async () => ({ content: [{ type: "text", text: "Hi." }], ...finish("stop") }),
  });
  const middleware = memoryMiddleware({ client: away, conversation: "t", onError: (e) => faults.push(e.code) });
  assert.equal(
    (await generateText({ model: wrapLanguageModel({ model: base, middleware }), prompt: "Hello" })).text,
    "Hi.",
  );
  assert.deepEqual(faults, ["UNAVAILABLE", "UNAVAILABLE"]);
});

test("the tools", async () => {
  const tools = memoryTools({ client, container: "ai-tools" });
  const call = (toolName, input) => ({
    content: [{ type: "tool-call", toolCallId: toolName, toolName, input: JSON.stringify(input) }],
    ...finish("tool-calls"),
  });
  const answers = [
    call("remember", { statement: "Ana lives in Lyon." }),
    call("recall", { query: "Where does Ana live?" }),
    { content: [{ type: "text", text: "In Lyon." }], ...finish("stop") },
  ];
  const model = new MockLanguageModelV4({ doGenerate: async () => answers.shift() });
  const { text, steps } = await generateText({
    model,
    tools,
    prompt: "Where?",
    stopWhen: (isStepCount ?? stepCountIs)(5),
  });
  assert.equal(text, "In Lyon.");
  assert.match(steps[0].toolResults[0].output, /^Remembered: /);
  assert.match(steps[1].toolResults[0].output, /Lyon/);
});
