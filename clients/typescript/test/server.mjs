// Servers for the tests: the real binary, or one that answers as a test says.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Starts LUKASA_TEST_BINARY, or uses the server that LUKASA_SERVER and LUKASA_API_KEY name. */
export async function start(env = {}) {
  if (process.env.LUKASA_SERVER && Object.keys(env).length === 0) {
    return { server: process.env.LUKASA_SERVER, key: process.env.LUKASA_API_KEY, stop() {} };
  }
  const binary = process.env.LUKASA_TEST_BINARY;
  if (!binary) throw new Error("set LUKASA_TEST_BINARY to the server's binary, or LUKASA_SERVER and LUKASA_API_KEY");
  const data = mkdtempSync(join(tmpdir(), "lukasa-ts-"));
  const key = "sk_test_0123456789abcdef0123456789abcdef";
  const child = spawn(binary, ["serve", "--data", data, "--listen", "127.0.0.1:0"], {
    env: { ...process.env, LUKASA_RATE_LIMIT: "0", LUKASA_API_KEY: key, ...env },
    stdio: "ignore",
  });
  const stop = () => {
    child.kill("SIGKILL");
    rmSync(data, { recursive: true, force: true, maxRetries: 5 });
  };
  for (let i = 0; i < 600; i++) {
    try {
      const { address } = JSON.parse(readFileSync(join(data, "server.json"), "utf8"));
      if ((await fetch(address + "/ready")).ok) {
        return { server: address, key, stop };
      }
    } catch {
      // not up yet
    }
    await new Promise((done) => setTimeout(done, 50));
  }
  stop();
  throw new Error("the server did not start");
}

/** Serves `handle(request, response, body, n)`, where n counts requests from 1; `log` has what came. */
export async function fake(handle) {
  const log = [];
  const server = createServer((req, res) => {
    const parts = [];
    req.on("data", (part) => parts.push(part));
    req.on("end", () => {
      const body = Buffer.concat(parts).toString();
      log.push({ method: req.method, url: req.url, headers: req.headers, body, at: Date.now() });
      handle(req, res, body, log.length);
    });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, log, stop };
}

export function json(res, status, value, headers = {}) {
  res.writeHead(status, { "content-type": "application/json", ...headers });
  res.end(JSON.stringify(value));
}

export function fault(res, status, code, extra = {}, headers = {}) {
  const error = { code, message: "no", category: "x", details: {}, retryable: false, request_id: "r1", ...extra };
  json(res, status, { error }, headers);
}
