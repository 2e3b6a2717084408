// The client in Bun, in Deno, in an edge runtime, and as a bundle for browsers, against the real binary.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { start } from "../server.mjs";

const packages = process.env.LUKASA_TEST_RUNTIMES;
const require = createRequire(join(packages, "x.js"));
const here = fileURLToPath(new URL(".", import.meta.url));
let server;
before(async () => (server = await start()));
after(() => server?.stop());

const lastLine = (text) => text.trim().split("\n").at(-1);

test("Bun", () => {
  const args = [join(here, "run.mjs"), server.server, server.key, "bun"];
  assert.equal(lastLine(execFileSync(join(packages, ".bin/bun"), args, { encoding: "utf8" })), "fine");
});

test("Deno, with leave for the network alone", () => {
  const args = ["run", "--no-config", "--allow-net", join(here, "run.mjs"), server.server, server.key, "deno"];
  assert.equal(lastLine(execFileSync(join(packages, ".bin/deno"), args, { encoding: "utf8" })), "fine");
});

test("an edge runtime, and the size of the bundle", async () => {
  const { buildSync } = require("esbuild");
  const stdin = {
    contents: 'export { Lukasa } from "../../dist/esm/index.js"; export { smoke } from "./smoke.mjs";',
    resolveDir: here,
  };
  const bundle = (format) => ({
    stdin,
    bundle: true,
    write: false,
    minify: true,
    format,
    globalName: "lib",
    platform: "browser",
  });
  const only = { ...stdin, contents: 'export { Lukasa } from "../../dist/esm/index.js";' };
  const size = gzipSync(buildSync({ ...bundle("esm"), stdin: only }).outputFiles[0].contents).length;
  console.log(`minified and gzipped: ${size} bytes`);
  assert.ok(size < 8000, `${size} bytes`);
  const { EdgeVM } = require("@edge-runtime/vm");
  const vm = new EdgeVM();
  const code = buildSync(bundle("iife")).outputFiles[0].text;
  const args = [server.server, server.key, "edge"].map((a) => JSON.stringify(a)).join(", ");
  assert.equal(await vm.evaluate(`${code}; lib.smoke(lib.Lukasa, ${args})`), "fine");
});
