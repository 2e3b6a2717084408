// What every runtime has to do; run by runtimes.test.mjs with the address, the key and the place of the client.
export async function smoke(Lukasa, server, key, name) {
  const lukasa = new Lukasa({ server, key });
  const container = `rt-${name}`;
  const seen = [];
  const stop = new AbortController();
  const listening = (async () => {
    for await (const event of lukasa.events({ signal: stop.signal })) seen.push(event.type);
  })().catch(() => undefined);
  await lukasa.upload({ name: "a.txt", data: "The cat is called Miso." }, { container, tags: [name] });
  const texts = ["one walrus", "two walruses", "three walruses"];
  await lukasa.addDocuments({ documents: texts.map((content) => ({ content, container })) });
  const all = await lukasa.listDocuments({ container, limit: 2 }).all();
  const found = await lukasa.search({ query: "what is the cat called", container });
  const fault = await lukasa.getContainer("no.such").catch((e) => e.code);
  for (let i = 0; i < 50 && seen.length === 0; i++) {
    await lukasa.addDocument({ content: `note ${i}`, container });
    await new Promise((done) => setTimeout(done, 50));
  }
  stop.abort();
  await listening;
  const ok = all.length === 4 && /Miso/.test(found.results[0].content) && fault === "NOT_FOUND" && seen.length > 0;
  return ok ? "fine" : JSON.stringify({ all: all.length, found: found.results.length, fault, seen });
}
