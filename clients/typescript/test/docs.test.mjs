// The examples of README.md, run one after the other against the real binary; those of integrations where their packages are.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { start } from "./server.mjs";

const withPackages = await import("@langchain/core/messages").then(
  () => true,
  () => false,
);

test("the examples of README.md run", async () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const found = [...readme.matchAll(/(<!-- integration -->\n)?```(?:ts|js)\n(.*?)```/gs)];
  const blocks = found.filter((m) => withPackages || !m[1]).map((m) => m[2]);
  assert.ok(blocks.length > 4);
  const server = await start();
  process.env.LUKASA_SERVER = server.server;
  process.env.LUKASA_API_KEY = server.key;
  const file = new URL("../dist/readme.mjs", import.meta.url);
  const code = blocks.join("\n").replaceAll('from "lukasa"', 'from "./esm/index.js"');
  writeFileSync(file, code.replaceAll(/from "lukasa\/([^"]+)"/g, 'from "./esm/$1.js"'));
  try {
    await import(file);
  } finally {
    server.stop();
  }
});
