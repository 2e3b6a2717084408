// LangChain and LangGraph, with their real packages.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ConversationChain } from "@langchain/classic/chains";
import { BaseMemory } from "@langchain/classic/memory";
import { InMemoryChatMessageHistory } from "@langchain/core/chat_history";
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { ChatPromptTemplate, MessagesPlaceholder } from "@langchain/core/prompts";
import { RunnableWithMessageHistory } from "@langchain/core/runnables";
import { FakeListChatModel, FakeLLM } from "@langchain/core/utils/testing";
import { Annotation, InMemoryStore, StateGraph } from "@langchain/langgraph";
import { Lukasa } from "../../dist/esm/index.js";
import { LukasaChatMessageHistory, LukasaMemory, LukasaRetriever } from "../../dist/esm/langchain.js";
import { LukasaStore } from "../../dist/esm/langgraph.js";
import { start } from "../server.mjs";

let server;
let client;
before(async () => {
  server = await start();
  client = new Lukasa(server);
});
after(() => server?.stop());

const plain = (messages) => messages.map((m) => m.toDict());

test("messages come back as they were", async () => {
  const messages = [
    new SystemMessage("Be brief."),
    new HumanMessage({ content: "What is the weather in Lyon?", name: "ana" }),
    new AIMessage({ content: "", tool_calls: [{ name: "weather", args: { city: "Lyon" }, id: "call_1" }] }),
    new ToolMessage({ content: "Sunny, 24 °C", tool_call_id: "call_1" }),
    new AIMessage({ content: "It is sunny.", id: "run-1" }),
    new HumanMessage({
      content: [
        { type: "text", text: "And this?" },
        { type: "image_url", image_url: { url: "u" } },
      ],
    }),
    new HumanMessage("Plain."),
  ];
  const history = new LukasaChatMessageHistory({ client, conversation: "weather", container: "lc-history" });
  assert.deepEqual(await history.getMessages(), []);
  const reference = new InMemoryChatMessageHistory();
  await history.addMessages(messages);
  await reference.addMessages(messages);
  assert.deepEqual(plain(await history.getMessages()), plain(await reference.getMessages()));
  assert.ok((await history.getMessages())[2] instanceof AIMessage);
  await history.addUserMessage("More.");
  const last = new LukasaChatMessageHistory({ client, conversation: "weather", container: "lc-history", limit: 1 });
  assert.deepEqual(
    (await last.getMessages()).map((m) => m.content),
    ["More."],
  );
  const found = await client.search({ query: "sunny weather in Lyon", container: "lc-history" });
  assert.ok(found.results.some((hit) => hit.content === "Sunny, 24 °C"));
  await history.clear();
  await history.clear();
  assert.deepEqual(await history.getMessages(), []);
});

test("more than a page comes back in order", async () => {
  const history = new LukasaChatMessageHistory({ client, conversation: "long", container: "lc-long" });
  const texts = Array.from({ length: 250 }, (_, i) => `Message ${i}.`);
  await history.addMessages(texts.map((t) => new HumanMessage(t)));
  assert.deepEqual(
    (await history.getMessages()).map((m) => m.content),
    texts,
  );
  const newest = new LukasaChatMessageHistory({ client, conversation: "long", container: "lc-long", limit: 150 });
  assert.deepEqual(
    (await newest.getMessages()).map((m) => m.content),
    texts.slice(100),
  );
});

test("a chain with history", async () => {
  const prompt = ChatPromptTemplate.fromMessages([new MessagesPlaceholder("history"), ["human", "{input}"]]);
  const chain = new RunnableWithMessageHistory({
    runnable: prompt.pipe(new FakeListChatModel({ responses: ["Hello Ana.", "Ana."] })),
    getMessageHistory: (conversation) =>
      new LukasaChatMessageHistory({ client, conversation, container: "lc-chain" }),
    inputMessagesKey: "input",
    historyMessagesKey: "history",
  });
  const config = { configurable: { sessionId: "s1" } };
  await chain.invoke({ input: "I am Ana." }, config);
  assert.equal((await chain.invoke({ input: "Who am I?" }, config)).content, "Ana.");
  const texts = (await client.listMessages("s1", { container: "lc-chain" }).all()).map((m) => m.content);
  assert.deepEqual(texts, ["I am Ana.", "Hello Ana.", "Who am I?", "Ana."]);
});

test("a retriever", async () => {
  const container = "lc-docs";
  await client.addDocument({ content: "The cat is called Miso.", container, metadata: { page: 3 }, tags: ["pets"] });
  await client.addDocument({ content: "The dog is called Rex.", container });
  const documents = await new LukasaRetriever({ client, container, k: 1 }).invoke("what is the cat called");
  assert.deepEqual(
    documents.map((d) => d.pageContent),
    ["The cat is called Miso."],
  );
  assert.equal(documents[0].metadata.page, 3);
  const filtered = new LukasaRetriever({ client, container, search: { tags: ["pets"] } });
  assert.equal((await filtered.invoke("called")).length, 1);
});

test("the classic memory: load, save, clear, and a chain", async () => {
  const container = "lc-classic";
  const memory = new LukasaMemory({ client, conversation: "talk", container });
  assert.ok(memory instanceof BaseMemory);
  assert.deepEqual(await memory.loadMemoryVariables({ input: "Hello" }), { history: "" });
  await client.addDocument({ content: "The deadline of the project is in May.", container });
  await memory.saveContext({ input: "I am Ana." }, { output: "Hello Ana." });
  const { history } = await memory.loadMemoryVariables({ input: "When is the deadline?" });
  assert.match(history, /in May/);
  assert.ok(history.endsWith("Human: I am Ana.\nAI: Hello Ana."));
  const asMessages = new LukasaMemory({ client, conversation: "talk", container, returnMessages: true });
  const loaded = await asMessages.loadMemoryVariables({ input: "When is the deadline?" });
  assert.deepEqual(
    loaded.history.map((m) => m.type),
    ["system", "human", "ai"],
  );
  await assert.rejects(memory.saveContext({ a: "1", b: "2" }, { output: "x" }), /inputKey/);
  await memory.clear();
  assert.equal((await asMessages.loadMemoryVariables({})).history.length, 0);
  const chain = new ConversationChain({ llm: new FakeLLM({ response: "Hello." }), memory });
  await chain.invoke({ input: "I am Ana." });
  await chain.invoke({ input: "Who am I?" });
  assert.equal((await client.listMessages("talk", { container })).total, 4);
});

/** Random numbers that are the same in every run. */
function seeded(seed) {
  return () => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed / 2147483648;
  };
}

test("the store gives what LangGraph's store in memory gives", async () => {
  const random = seeded(7);
  const pick = (list) => list[Math.floor(random() * list.length)];
  const ours = new LukasaStore({ client, container: "lg-same" });
  const reference = new InMemoryStore();
  const namespaces = [["a"], ["a", "b"], ["a", "b", "c"], ["b"], ["b", "日本"]];
  for (let step = 0; step < 90; step++) {
    const namespace = pick(namespaces);
    const key = pick(["x", "y", "z"]);
    const value =
      random() < 0.25 ? null : { n: Math.floor(random() * 3), word: pick(["red", "blue"]), deep: { l: [1, null] } };
    for (const store of [ours, reference]) await store.batch([{ namespace, key, value }]);
    if (step % 9) continue;
    const where = pick([undefined, { word: "red" }, { n: { $gte: 1 } }, { n: { $ne: 2 }, word: "blue" }]);
    const prefix = pick([[], ["a"], ["a", "b"], ["b"]]);
    const fresh = new InMemoryStore(); // one that does not go on listing namespaces that are empty
    for (const i of await reference.search([], { limit: 1000 })) await fresh.put(i.namespace, i.key, i.value);
    const all = [];
    for (const store of [ours, fresh]) {
      const item = await store.get(namespace, key);
      const found = await store.search(prefix, { filter: where, limit: 100 });
      all.push({
        item: item && [item.namespace, item.key, item.value],
        found: found.map((f) => JSON.stringify([f.namespace, f.key, Object.entries(f.value).sort()])).sort(),
        namespaces: (await store.listNamespaces({ prefix: pick([["a"]]), limit: 100 }))
          .map((n) => n.join("/"))
          .sort(),
      });
    }
    assert.deepEqual(all[0], all[1]);
  }
});

test("the store searches by meaning, and a graph uses it", async () => {
  const store = new LukasaStore({ client, container: "lg-graph" });
  await store.put(["u1"], "a", { text: "The automobile repair shop called: the brakes are done.", kind: "note" });
  await store.put(["u1"], "b", { text: "Buy flowers on Friday.", kind: "todo" });
  await store.put(["u1"], "c", { text: "My car needs new tyres." }, false);
  await store.put(["u2"], "a", { text: "Fixing my car took all day." });
  const found = await store.search(["u1"], { query: "fixing my car" });
  assert.equal(found[0].key, "a");
  assert.ok(found[0].score > 0);
  assert.ok(found.every((f) => f.namespace[0] === "u1" && f.key !== "c"));
  const State = Annotation.Root({ text: Annotation });
  const graph = new StateGraph(State)
    .addNode("node", async (state, config) => {
      const [kept] = await config.store.search(["notes"], { query: state.text });
      await config.store.put(["notes"], "n1", { text: "Ana likes tea." });
      return { text: kept?.value.text ?? "nothing" };
    })
    .addEdge("__start__", "node")
    .addEdge("node", "__end__")
    .compile({ store });
  assert.deepEqual(await graph.invoke({ text: "what does Ana drink" }), { text: "nothing" });
  assert.deepEqual(await graph.invoke({ text: "what does Ana drink" }), { text: "Ana likes tea." });
});
