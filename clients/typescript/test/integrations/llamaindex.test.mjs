// LlamaIndex, with its real package.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { BaseLLM } from "@llamaindex/core/llms";
import { createMemory, RetrieverQueryEngine, Settings } from "llamaindex";
import { Lukasa } from "../../dist/esm/index.js";
import { LukasaMemoryBlock, LukasaRetriever } from "../../dist/esm/llamaindex.js";
import { start } from "../server.mjs";

/** A model that always gives one answer. */
class Scripted extends BaseLLM {
  metadata = {
    model: "scripted",
    temperature: 0,
    topP: 1,
    contextWindow: 4096,
    tokenizer: undefined,
    structuredOutput: false,
  };
  async chat() {
    return { message: { role: "assistant", content: "Miso." }, raw: null };
  }
}

let server;
let client;
before(async () => {
  server = await start();
  client = new Lukasa(server);
});
after(() => server?.stop());

test("the retriever, alone and in a query engine", async () => {
  const container = "li-docs";
  await client.addDocument({ content: "The cat is called Miso.", container });
  await client.addDocument({ content: "The dog is called Rex.", container });
  const retriever = new LukasaRetriever({ client, container, topK: 1 });
  const nodes = await retriever.retrieve({ query: "what is the cat called" });
  assert.deepEqual(
    nodes.map((n) => n.node.text),
    ["The cat is called Miso."],
  );
  Settings.llm = new Scripted();
  const answer = await new RetrieverQueryEngine(retriever).query({ query: "what is the cat called" });
  assert.equal(answer.message.content, "Miso.");
  assert.equal(answer.sourceNodes[0].node.text, "The cat is called Miso.");
});

test("the memory block keeps what leaves, and gives back what is relevant", async () => {
  const container = "li-memory";
  const block = new LukasaMemoryBlock({ client, container });
  const memory = createMemory({ memoryBlocks: [block], tokenLimit: 60, shortTermTokenLimitRatio: 0.5 });
  await memory.add({ role: "user", content: "My sister Eva is a vet in Oslo." });
  for (let i = 0; i < 12; i++)
    await memory.add({ role: i % 2 ? "user" : "assistant", content: `The weather is good today, number ${i}.` });
  await memory.manageMemoryBlocks?.();
  const { items } = await client.listMessages("llamaindex", { container });
  assert.match(items[0].content, /Oslo/);
  const [recalled] = await block.get([{ id: "1", role: "user", content: "What does Eva do?" }]);
  assert.match(recalled.content, /vet/);
  assert.deepEqual(await block.get([]), []);
});
