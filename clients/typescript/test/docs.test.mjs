// The examples of README.md, run one after the other against the real binary.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { start } from "./server.mjs";

test("the examples of README.md run", async () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const blocks = [...readme.matchAll(/(<!-- [^\n]*-->\n)?```(?:ts|js)\n(.*?)```/gs)]
    .filter((m) => !m[1])
    .map((m) => m[2]);
  assert.ok(blocks.length > 4);
  const server = await start();
  process.env.LUKASA_SERVER = server.server;
  process.env.LUKASA_API_KEY = server.key;
  const file = new URL("../dist/readme.mjs", import.meta.url);
  const code = blocks.join("\n").replaceAll('from "lukasa"', 'from "./esm/index.js"');
  writeFileSync(file, code);
  try {
    await import(file);
  } finally {
    server.stop();
  }
});
