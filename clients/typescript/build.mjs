// Builds dist/esm and dist/cjs from src, with declarations for both.
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
const project = process.argv[2] ?? "tsconfig.json";
const run = (...args) =>
  execFileSync(process.execPath, [tsc, "-p", project, ...args], { cwd: here, stdio: "inherit" });

rmSync(join(here, "dist"), { recursive: true, force: true });
run("--outDir", "dist/esm");
// Without "type": "module" around them, the same sources are CommonJS.
run(
  "--outDir",
  "dist/cjs",
  "--module",
  "CommonJS",
  "--moduleResolution",
  "bundler",
  "--verbatimModuleSyntax",
  "false",
);
writeFileSync(join(here, "dist", "cjs", "package.json"), '{ "type": "commonjs" }\n');
