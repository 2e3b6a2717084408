import { ConnectionError, errorOf, retryAfter, TimeoutError, type LukasaError } from "./errors.js";

/** What a single call may have of its own. */
export interface CallOptions {
  /** Ends the call; its reason is what the call rejects with. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for one try; 0 lifts the limit. */
  timeout?: number | undefined;
  /** How often the call is made at most. */
  tries?: number | undefined;
  /** More headers, like X-Request-Id. */
  headers?: Record<string, string> | undefined;
}

/** How to reach a server. All of it may be left out. */
export interface Options {
  /** Like http://127.0.0.1:7077; without it LUKASA_SERVER, then that address. */
  server?: string | undefined;
  /** The API key, sk_…; without it LUKASA_API_KEY. */
  key?: string | undefined;
  /** Milliseconds for one try; 60,000 without it, 0 lifts the limit. Streams are limited until they begin. */
  timeout?: number | undefined;
  /** How often a call is made when the server is busy or away; 4 without it. */
  tries?: number | undefined;
  /**
   * The longest wait before another try, in milliseconds; a server that asks for more ends the call; 30,000 without
   * it.
   */
  maxWait?: number | undefined;
  /** Headers of every call. */
  headers?: Record<string, string> | undefined;
  /** Instead of the global fetch. */
  fetch?: typeof fetch | undefined;
}

/** A request as the callers of {@link Caller.send} describe it. */
export interface Call {
  method: string;
  path: string;
  query?: Record<string, unknown> | undefined;
  body?: unknown;
  /** Sent as it is, instead of body. */
  raw?: BodyInit | undefined;
  type?: string | undefined;
  accept?: string | undefined;
  /** It may be sent twice without harm, so that it is sent again when the line breaks. */
  safe?: boolean | undefined;
  /** Only a limit of requests (429) is waited for. */
  once?: boolean | undefined;
  /** An answer 202 means: not yet; it is asked again. */
  wait?: boolean | undefined;
  /** Statuses over 299 that are answers, not errors. */
  also?: number | undefined;
  options?: CallOptions | undefined;
}

const firstWait = 500;

/** Sends requests to one server, with the key, tries and limits of time that were asked for. */
export class Caller {
  readonly server: string;
  readonly #key: string;
  readonly #options: Options;
  readonly #fetch: typeof fetch;

  constructor(options: Options = {}) {
    const env = environment();
    const server = options.server ?? (env["LUKASA_SERVER"] || "http://127.0.0.1:7077");
    let url: URL;
    try {
      url = new URL(server);
    } catch {
      throw new TypeError(`server: ${JSON.stringify(server)} is not an address; give one like http://127.0.0.1:7077`);
    }
    if ((url.protocol !== "http:" && url.protocol !== "https:") || url.search || url.hash) {
      throw new TypeError(
        `server: ${JSON.stringify(server)} has more than an address; give one like http://127.0.0.1:7077`,
      );
    }
    this.server = url.href.replace(/\/+$/, "");
    this.#key = options.key ?? env["LUKASA_API_KEY"] ?? "";
    this.#options = options;
    const given = options.fetch ?? globalThis.fetch;
    if (typeof given !== "function") throw new TypeError("fetch: this runtime has none; give one in the options");
    this.#fetch = (input, init) => given(input, init);
  }

  /** Makes the call, again where that helps, and returns an answer that is no error. */
  async send(call: Call): Promise<Response> {
    const own = call.options ?? {};
    const tries = Math.max(1, own.tries ?? this.#options.tries ?? 4);
    const maxWait = this.#options.maxWait ?? 30_000;
    for (let attempt = 1; ; attempt++) {
      let wait = firstWait * 2 ** Math.min(attempt - 1, 10) * (0.75 + Math.random() / 2);
      let fault: LukasaError;
      try {
        const answer = await this.#once(call, own);
        if (answer.status === 202 && call.wait && attempt < 30 + tries) {
          await answer.body?.cancel();
          await sleep(Math.min((retryAfter(answer.headers) ?? 1) * 1000, maxWait), own.signal);
          continue;
        }
        if (answer.ok || call.also === answer.status) return answer;
        fault = errorOf(answer.status, await answer.text().catch(() => ""), answer.headers);
        if (!again(call, fault)) throw fault;
        if (fault.retryAfter !== undefined) wait = fault.retryAfter * 1000;
      } catch (e) {
        if (!(e instanceof ConnectionError) || !call.safe || call.once) throw e;
        fault = e;
      }
      if (attempt >= tries || wait > maxWait) throw fault;
      await sleep(wait, own.signal);
    }
  }

  async #once(call: Call, own: CallOptions): Promise<Response> {
    const url = this.server + call.path + queryOf(call.query);
    const accept = call.accept ?? "application/json";
    const headers: Record<string, string> = { accept, ...this.#options.headers, ...own.headers };
    if (this.#key) headers["authorization"] = `Bearer ${this.#key}`;
    // A page in a browser may not choose its User-Agent.
    const inPage = typeof (globalThis as { document?: unknown }).document !== "undefined";
    if (!inPage) headers["user-agent"] ??= "lukasa-typescript";
    const init: RequestInit = { method: call.method, headers };
    if (call.raw !== undefined) {
      init.body = call.raw;
      if (call.type) headers["content-type"] = call.type;
    } else if (call.body !== undefined) {
      init.body = JSON.stringify(call.body);
      headers["content-type"] = "application/json";
    }
    const limit = own.timeout ?? this.#options.timeout ?? 60_000;
    const stop = new AbortController();
    let late = false;
    const onAbort = (): void => stop.abort(own.signal?.reason);
    own.signal?.throwIfAborted();
    own.signal?.addEventListener("abort", onAbort, { once: true });
    const timer = limit > 0 ? setTimeout(() => ((late = true), stop.abort()), limit) : undefined;
    let streams = false; // then the signal has to end the stream too
    try {
      const answer = await this.#fetch(url, { ...init, signal: stop.signal });
      streams = !(answer.headers.get("content-type") ?? "").startsWith("application/json");
      if (streams || answer.body === null) return answer;
      // JSON is read under the limit of time too; what is streamed has only to begin in time.
      const bytes = await answer.arrayBuffer();
      return new Response(bytes, { status: answer.status, headers: answer.headers });
    } catch (e) {
      if (own.signal?.aborted) throw own.signal.reason;
      if (late)
        throw new TimeoutError({ message: `no answer from ${this.server} within ${limit} ms`, code: "TIMEOUT" }, e);
      const hint = "is it running? `lukasa serve` starts one";
      const message = `no answer from the server at ${this.server}`;
      throw new ConnectionError({ message, hint, code: "UNAVAILABLE", retryable: true }, e);
    } finally {
      clearTimeout(timer);
      if (!streams) own.signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Reads an answer as JSON. */
  async json<T>(call: Call): Promise<T> {
    const answer = await this.send(call);
    const text = await answer.text();
    try {
      return JSON.parse(text) as T;
    } catch (e) {
      const message = `the server at ${this.server} gave an answer that is not JSON`;
      const facts = { message, hint: "is it a lukasa server?", code: "EXTERNAL_ERROR", status: answer.status };
      throw new ConnectionError(facts, e);
    }
  }
}

function again(call: Call, fault: LukasaError): boolean {
  if (fault.code === "STORAGE_ERROR") return false; // a full disk does not empty itself
  if (fault.status === 429) return true;
  if (call.once) return false;
  if (fault.status === 503) return fault.retryable;
  return call.safe === true && (fault.status === 502 || fault.status === 504);
}

/** Waits, or rejects with the signal's reason. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done, failed) => {
    if (signal?.aborted) return failed(signal.reason);
    const onAbort = (): void => {
      clearTimeout(timer);
      failed(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      done();
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

function queryOf(query?: Record<string, unknown>): string {
  const out = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined || value === null) continue;
    if (value instanceof Date) out.set(name, value.toISOString());
    else if (Array.isArray(value)) out.set(name, value.join(","));
    else out.set(name, String(value));
  }
  const text = out.toString();
  return text && "?" + text;
}

function environment(): Record<string, string | undefined> {
  try {
    const p = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process;
    const env = p?.env ?? {};
    return { LUKASA_SERVER: env["LUKASA_SERVER"], LUKASA_API_KEY: env["LUKASA_API_KEY"] };
  } catch {
    return {}; // Deno without leave to read the environment
  }
}
