/**
 * The client of lukasa, the memory that AI agents keep.
 *
 *     import { Lukasa } from "lukasa";
 *     const lukasa = new Lukasa({ server: "http://127.0.0.1:7077", key: "sk_…" });
 *     await lukasa.addDocument("The cat is called Miso.");
 *     const found = await lukasa.search("what is the cat called");
 */
import { Caller, sleep, type Call, type CallOptions, type Options } from "./call.js";
import { ConnectionError, errorOf, LukasaError, ServerError } from "./errors.js";
import { List, type Page } from "./list.js";
import { lines, sse } from "./sse.js";
import type { BatchItem, ChatBody, ChatReply, Event, OwnReport, Report } from "./types.js";
import { table, type ImportDataParams, type UploadParams, type Verbs } from "./verbs.js";

export type { CallOptions, Options } from "./call.js";
export * from "./errors.js";
export { List, type Page } from "./list.js";
export type * from "./types.js";
export type * from "./verbs.js";

const silence = 45_000; // the server says something every 15 s

/** A file to upload: what a form gives, bytes with a name, or a text with a name. */
export type UploadFile = File | { name: string; data: Blob | ArrayBuffer | Uint8Array | string; type?: string };

/**
 * An event of {@link Lukasa.events}. After a break of the line comes one of type "stream.gap": what happened in
 * between is not
 * told, so that now is the time to read anew what the events are followed for.
 */
export type StreamEvent = Event & { type: string };

let callerOf: (lukasa: Lukasa) => Caller;

export interface Lukasa extends Verbs {}

/** A client of one server. Its verbs are those of {@link Verbs} and those below. */
export class Lukasa {
  readonly #caller: Caller;
  readonly #options: Options;

  static {
    callerOf = (lukasa) => lukasa.#caller;
  }

  constructor(options: Options = {}) {
    this.#options = options;
    this.#caller = new Caller(options);
  }

  /** The address of the server. */
  get server(): string {
    return this.#caller.server;
  }

  /** A client with other options; those that are left out stay. */
  with(options: Options): Lukasa {
    return new Lukasa({ ...this.#options, ...options });
  }

  /**
   * Makes a call that has no verb of its own and returns the answer's JSON.
   *
   *     await lukasa.request("GET", "/v1/whoami");
   */
  request<T = Record<string, unknown>>(
    method: string,
    path: string,
    input: { query?: Record<string, unknown>; body?: unknown } = {},
    options?: CallOptions,
  ): Promise<T> {
    return this.#caller.json<T>({ method, path, ...input, safe: method === "GET", options });
  }

  /** Makes the call and returns the answer as it is. */
  raw(call: Call): Promise<Response> {
    return this.#caller.send(call);
  }

  /**
   * Asks the configured model with what is remembered; the exchange is kept. A message without an id gets one, so
   * that it is
   * kept once however often the call has to be made.
   */
  chat(input: string | Omit<ChatBody, "stream">, options?: CallOptions): Promise<ChatReply> {
    return this.#caller.json<ChatReply>({ ...chatCall(options), body: chatBody(input, false) });
  }

  /**
   * Like {@link chat}, and the answer comes as it is written:
   *
   *     const stream = lukasa.chatStream("What did we decide?");
   *     for await (const text of stream) process.stdout.write(text);
   *     const reply = await stream.reply;
   */
  chatStream(input: string | Omit<ChatBody, "stream">, options?: CallOptions): ChatStream {
    const call: Call = { ...chatCall(options), accept: "text/event-stream", body: chatBody(input, true) };
    return new ChatStream(this.#caller.send(call));
  }

  /** News of what changes, from now on, as it happens, until the loop ends or the signal says so. */
  async *events(options: CallOptions = {}): AsyncGenerator<StreamEvent, void, undefined> {
    for (let lost = 0, begun = false; ; lost++) {
      const dead = new AbortController();
      const end = (): void => dead.abort(options.signal?.reason);
      options.signal?.throwIfAborted();
      options.signal?.addEventListener("abort", end, { once: true });
      let timer: ReturnType<typeof setTimeout> | undefined;
      const tick = (): void => {
        clearTimeout(timer);
        timer = setTimeout(() => dead.abort(), silence);
      };
      try {
        const call: Call = { method: "GET", path: "/v1/events", accept: "text/event-stream", safe: true };
        const answer = await this.#caller.send({ ...call, options: { ...options, signal: dead.signal } });
        if (begun) yield gap();
        begun = true;
        tick();
        for await (const e of sse(answer.body!, tick)) {
          lost = 0;
          const event = parse<StreamEvent>(e.data);
          if (event?.type) yield event;
        }
      } catch (e) {
        options.signal?.throwIfAborted();
        if (!begun || !passing(e)) throw e;
      } finally {
        clearTimeout(timer);
        options.signal?.removeEventListener("abort", end);
        dead.abort();
      }
      await sleep(Math.min(1000 * 2 ** Math.min(lost, 10), this.#options.maxWait ?? 30_000), options.signal);
    }
  }

  /** Uploads one or several files; each has its own result. What is said of them goes for all. */
  async upload(
    files: UploadFile | readonly UploadFile[],
    input: UploadParams = {},
    options?: CallOptions,
  ): Promise<BatchItem[]> {
    const form = new FormData();
    for (const [name, value] of Object.entries(input)) {
      if (value === undefined || value === null) continue;
      if (typeof value === "string") form.append(name, value);
      else if (value instanceof Date) form.append(name, value.toISOString());
      else form.append(name, JSON.stringify(value));
    }
    for (const file of Array.isArray(files) ? (files as readonly UploadFile[]) : [files as UploadFile]) {
      const [data, name] = blobOf(file);
      form.append("file", data, name);
    }
    const call: Call = { method: "POST", path: "/v1/documents/upload", raw: form, safe: true, options };
    return (await this.#caller.json<Page<BatchItem>>(call)).items;
  }

  /** Takes in an export, of our own or of another tool; `listImportKinds` names those. */
  importData(data: BodyInit, input: ImportDataParams = {}, options?: CallOptions): Promise<OwnReport | Report> {
    const type = data instanceof FormData ? undefined : "application/octet-stream";
    const query = input as Record<string, unknown>;
    const slow = { timeout: 0, ...options };
    return this.#caller.json({ method: "POST", path: "/v1/import", query, raw: data, type, options: slow });
  }
}

/** The answer of a model as it is written: pieces of text, and in the end the reply. */
export class ChatStream implements AsyncIterable<string> {
  /** The same object that {@link Lukasa.chat} returns; settled when the text has been read to its end. */
  readonly reply: Promise<ChatReply>;
  readonly #answer: Promise<Response>;
  #settle!: { done: (reply: ChatReply) => void; failed: (reason: unknown) => void };

  constructor(answer: Promise<Response>) {
    this.#answer = answer;
    this.reply = new Promise((done, failed) => (this.#settle = { done, failed }));
    this.reply.catch(() => undefined); // who only reads the text has the error there
    answer.catch((e: unknown) => this.#settle.failed(e));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string, void, undefined> {
    const broken = new ConnectionError({ message: "the answer broke off", code: "EXTERNAL_ERROR", retryable: true });
    try {
      const answer = await this.#answer;
      for await (const e of sse(answer.body!)) {
        if (e.event === "delta") yield parse<{ text?: string }>(e.data)?.text ?? "";
        if (e.event === "error") throw errorOf(502, e.data, new Headers());
        const reply = e.event === "done" ? parse<ChatReply>(e.data) : undefined;
        if (reply) return this.#settle.done(reply);
      }
      throw broken;
    } catch (e) {
      this.#settle.failed(e);
      throw e;
    } finally {
      this.#settle.failed(broken); // the loop ended early; after the reply this says nothing
    }
  }

  /** Reads the text to its end and returns the reply. */
  async done(): Promise<ChatReply> {
    for await (const _ of this);
    return this.reply;
  }
}

function chatCall(options?: CallOptions): Call {
  // A model that is away stays so for longer than somebody waits: only a limit of requests is waited for.
  const slow = { timeout: 180_000, ...options };
  return { method: "POST", path: "/v1/chat", once: true, options: slow };
}

function chatBody(input: string | Omit<ChatBody, "stream">, stream: boolean): ChatBody {
  const body = typeof input === "string" ? { message: input } : input;
  return { id: `chat-${crypto.randomUUID()}`, ...body, ...(stream ? { stream } : {}) };
}

function passing(e: unknown): boolean {
  const aborted = typeof e === "object" && e !== null && (e as { name?: string }).name === "AbortError";
  if (!(e instanceof LukasaError) || aborted) return true;
  return e instanceof ConnectionError || e instanceof ServerError || e.status === 429;
}

function gap(): StreamEvent {
  return { id: "", type: "stream.gap", at: new Date().toISOString() };
}

function parse<T>(text: string): T | undefined {
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}

function blobOf(file: UploadFile): [Blob, string] {
  if (typeof File !== "undefined" && file instanceof File) return [file, file.name];
  const { name, data, type } = file as Exclude<UploadFile, File>;
  const blob = data instanceof Blob && !type ? data : new Blob([data as BlobPart], type ? { type } : {});
  return [blob, name];
}

/** A verb, as its row in the table says. */
function method(row: string): (...args: unknown[]) => unknown {
  const [verb = "", path = "", kind = "", ...marks] = row.split(" ");
  const places = path.split(/\{\w+\}/).length - 1;
  const takes = marks.includes("i");
  const main = marks.find((m) => m.startsWith("m="))?.slice(2);
  const queries = new Map<string, string>();
  for (const mark of marks.filter((m) => m.startsWith("q="))) {
    const [name = "", wire = name] = mark.slice(2).split(":");
    queries.set(name, wire);
  }
  return function (this: Lukasa, ...args: unknown[]): unknown {
    let at = 0;
    const to = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = args[at++];
      if (typeof value !== "string" || value === "") throw new TypeError(`${name}: give a string that is not empty`);
      return encodeURIComponent(value);
    });
    let input = takes ? args[places] : undefined;
    if (typeof input === "string" && main) input = { [main]: input };
    if (typeof (input ?? {}) !== "object") throw new TypeError("input: give an object");
    const options = args[places + (takes ? 1 : 0)] as CallOptions | undefined;
    const wait = kind === "bytes" || path.endsWith("/decompress");
    const call: Call = { method: verb, path: to, safe: marks.includes("s"), options, wait };
    return answer(callerOf(this), kind, call, (input ?? {}) as Record<string, unknown>, queries, marks.includes("b"));
  };
}

type Fields = Record<string, unknown>;

function answer(
  caller: Caller,
  kind: string,
  call: Call,
  input: Fields,
  queries: Map<string, string>,
  hasBody: boolean,
): unknown {
  const set = (fields: Fields): Call => {
    if (call.method === "GET" || call.method === "DELETE") return { ...call, query: fields };
    const query: Fields = {};
    const body: Fields = {};
    for (const [name, value] of Object.entries(fields)) {
      const wire = queries.get(name);
      if (wire) query[wire] = value;
      else body[name] = value;
    }
    return { ...call, query, body: hasBody ? body : undefined };
  };
  switch (kind) {
    case "list":
      return new List((place) => caller.json<Page<unknown>>(set({ ...input, ...place })));
    case "items":
      return caller.json<Page<unknown>>(set(input)).then((page) => page.items);
    case "text":
      return caller.send({ ...set(input), accept: "text/plain" }).then((r) => r.text());
    case "bytes":
      return caller.send({ ...set(input), accept: "*/*" });
    case "lines":
      return objects(caller, { ...set(input), accept: "application/x-ndjson" });
    default:
      // Not being ready is what /ready and /health answer, not an error.
      return caller.json(
        call.path === "/health" || call.path === "/ready" ? { ...set(input), also: 503 } : set(input),
      );
  }
}

async function* objects(caller: Caller, call: Call): AsyncGenerator<Record<string, unknown>, void, undefined> {
  const response = await caller.send(call);
  for await (const line of lines(response.body!)) {
    if (line.trim() !== "") yield JSON.parse(line) as Record<string, unknown>;
  }
}

const own = new Set(Object.getOwnPropertyNames(Lukasa.prototype));
for (const [name, row] of Object.entries(table)) {
  if (own.has(name)) continue;
  const call = method(row);
  Object.defineProperty(Lukasa.prototype, name, { value: call, writable: true, configurable: true });
}
