// OpenAI Agents, with its real package and a scripted model.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Agent, MemorySession, run, setTracingDisabled, Usage } from "@openai/agents";
import { Lukasa } from "../../dist/esm/index.js";
import { LukasaSession, memoryTools } from "../../dist/esm/openai-agents.js";
import { start } from "../server.mjs";

setTracingDisabled(true);
let server;
let client;
before(async () => {
  server = await start();
  client = new Lukasa(server);
});
after(() => server?.stop());

const say = (text) => ({
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text }],
});
const call = (name, args) => ({
  type: "function_call",
  callId: "c1",
  name,
  status: "completed",
  arguments: JSON.stringify(args),
});

function scripted(...answers) {
  const asked = [];
  const getResponse = async (request) => {
    asked.push(request.input);
    return { usage: new Usage(), output: [answers.shift()] };
  };
  return { asked, getResponse, getStreamedResponse: () => assert.fail("not asked for") };
}

test("the session gives what the package's own session gives", async () => {
  const ours = new LukasaSession({ client, conversation: "s", container: "oa-same" });
  const reference = new MemorySession();
  const items = [
    { role: "user", content: "Hello." },
    {
      role: "user",
      content: [
        { type: "input_text", text: "Look." },
        { type: "input_image", image: "u" },
      ],
    },
    { type: "function_call", callId: "1", name: "f", arguments: '{"a":1}', status: "completed" },
    {
      type: "function_call_result",
      callId: "1",
      name: "f",
      status: "completed",
      output: { type: "text", text: "42" },
    },
    say("Done."),
    { role: "system", content: "Be brief." },
  ];
  const same = async (limit) => assert.deepEqual(await ours.getItems(limit), await reference.getItems(limit));
  for (const session of [ours, reference]) await session.addItems(items);
  for (const limit of [undefined, 1, 3, 100]) await same(limit);
  assert.deepEqual(await ours.popItem(), await reference.popItem());
  for (const session of [ours, reference]) await session.addItems(items.slice(0, 2));
  await same();
  assert.deepEqual(await ours.popItem(), await reference.popItem());
  await same(2);
  for (const session of [ours, reference]) await session.clearSession();
  await same();
  assert.deepEqual(await ours.popItem(), await reference.popItem());
  assert.equal(await ours.getSessionId(), "s");
});

test("an agent remembers its conversation", async () => {
  const model = scripted(say("Hello Ana."), say("You are Ana."));
  const agent = new Agent({ name: "a", model });
  const session = new LukasaSession({ client, conversation: "talk", container: "oa-talk" });
  await run(agent, "I am Ana.", { session });
  assert.equal((await run(agent, "Who am I?", { session })).finalOutput, "You are Ana.");
  assert.equal(model.asked[1].length, 3);
  assert.equal((await session.getItems()).length, 4);
  const found = await client.search({ query: "I am Ana", container: "oa-talk" });
  assert.ok(found.results.length > 0);
});

test("an agent with the tools", async () => {
  const tools = memoryTools({ client, container: "oa-tools" });
  await run(
    new Agent({
      name: "a",
      tools,
      model: scripted(call("remember", { statement: "Ana lives in Lyon." }), say("Noted.")),
    }),
    "Hi.",
  );
  const model = scripted(call("recall", { query: "Where does Ana live?" }), say("In Lyon."));
  const result = await run(new Agent({ name: "a", tools, model }), "Where does Ana live?");
  assert.equal(result.finalOutput, "In Lyon.");
  const output = model.asked[1].find((i) => i.type === "function_call_result").output;
  assert.match(JSON.stringify(output), /Lyon/);
});
