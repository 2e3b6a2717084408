/**
 * LangGraph: a store for what an agent keeps between threads. Needs @langchain/langgraph-checkpoint, which comes
 * with @langchain/langgraph.
 *
 *     const graph = builder.compile({ store: new LukasaStore({ client, container: "agent" }) });
 *
 * An item is a document: its text, which searches read, is that of its value; the value itself stands in the
 * metadata. A put of a key that is
 * there is a new version of the document.
 */
import {
  BaseStore,
  getTextAtPath,
  tokenizePath,
  type Item,
  type MatchCondition,
  type Operation,
  type OperationResults,
  type SearchItem,
} from "@langchain/langgraph-checkpoint";
import type { Lukasa } from "./index.js";
import { Items, type FoundItem } from "./items.js";

const most = 200; // results of one search

type Value = Record<string, unknown>;

interface Kept extends Record<string, unknown> {
  namespace: string[];
  key: string;
  value: Value;
  created_at: string;
  updated_at: string;
  index: boolean;
}

/** A store over one container. Namespaces may be of any depth. */
export class LukasaStore extends BaseStore {
  readonly #items: Items<Kept>;

  constructor(options: { client: Lukasa; container?: string }) {
    super();
    this.#items = new Items(options.client, options.container ?? "langgraph", "langgraph");
  }

  /**
   * Carries out operations. Of several puts of one key the last one counts; what is read is read before what is
   * written.
   */
  async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const results: unknown[] = [];
    const puts = new Map<string, () => Promise<void>>();
    for (const op of operations) {
      if ("namespacePrefix" in op) results.push(await this.#search(op));
      else if ("value" in op) {
        puts.set(JSON.stringify([...op.namespace, op.key]), () =>
          this.#put(op.namespace, op.key, op.value, op.index),
        );
        results.push(undefined);
      } else if ("key" in op) {
        const there = await this.#items.get([...op.namespace, op.key]);
        results.push(there ? itemOf(there.data) : null);
      } else results.push(await this.#namespaces(op));
    }
    for (const put of puts.values()) await put();
    return results as OperationResults<Op>;
  }

  async #put(namespace: string[], name: string, value: Value | null, index?: false | string[]): Promise<void> {
    const key = [...namespace, name];
    if (value === null) {
      await this.#items.delete(key);
      return;
    }
    const there = await this.#items.get(key);
    const now = new Date().toISOString();
    const created_at = there?.data.created_at ?? now;
    const data: Kept = { namespace, key: name, value, created_at, updated_at: now, index: index !== false };
    const prefixes = namespace.map((_, i) => namespace.slice(0, i + 1));
    await this.#items.put(key, textOf(value, index), data, prefixes);
  }

  async #search(op: {
    namespacePrefix: string[];
    filter?: Record<string, unknown>;
    limit?: number;
    offset?: number;
    query?: string;
  }): Promise<SearchItem[]> {
    const { limit = 10, offset = 0 } = op;
    let hits: (FoundItem<Kept> & { score?: number })[];
    if (op.query) {
      // What a filter drops is dropped from what was found, so more is looked for then.
      const wanted = op.filter ? most : Math.min(most, offset + limit);
      hits = (await this.#items.search(op.query, op.namespacePrefix, wanted)).filter((h) => h.data.index);
    } else hits = await this.#items.below(op.namespacePrefix);
    hits = hits.filter((h) => matches(h.data.value, op.filter)).slice(offset, offset + limit);
    return hits.map((h) => (h.score === undefined ? itemOf(h.data) : { ...itemOf(h.data), score: h.score }));
  }

  async #namespaces(op: {
    matchConditions?: MatchCondition[];
    maxDepth?: number;
    limit?: number;
    offset?: number;
  }): Promise<string[][]> {
    const conditions = op.matchConditions ?? [];
    const prefix = conditions.find((c) => c.matchType === "prefix" && !c.path.includes("*"))?.path ?? [];
    const seen = new Map<string, string[]>();
    for (const { data } of await this.#items.below(prefix)) {
      if (!conditions.every((c) => fits(data.namespace, c))) continue;
      const namespace = op.maxDepth === undefined ? data.namespace : data.namespace.slice(0, op.maxDepth);
      seen.set(JSON.stringify(namespace), namespace);
    }
    const sorted = [...seen.keys()].sort().map((k) => seen.get(k) as string[]);
    return sorted.slice(op.offset ?? 0, (op.offset ?? 0) + (op.limit ?? 100));
  }
}

function itemOf(data: Kept): Item {
  const { namespace, key, value } = data;
  return { namespace, key, value, createdAt: new Date(data.created_at), updatedAt: new Date(data.updated_at) };
}

/** The text that is searched: that of the fields in index, or all of it. */
function textOf(value: Value, index?: false | string[]): string {
  if (Array.isArray(index))
    return index.flatMap((path) => getTextAtPath(value, tokenizePath(path).join("."))).join("\n");
  const out: string[] = [];
  const walk = (x: unknown, name: string): void => {
    if (Array.isArray(x)) x.forEach((v) => walk(v, name));
    else if (typeof x === "object" && x !== null) for (const [k, v] of Object.entries(x)) walk(v, k);
    else if (typeof x === "string") out.push(x);
    else if (x !== null && x !== undefined) out.push(name ? `${name}: ${x}` : String(x));
  };
  walk(value, "");
  return out.join("\n");
}

function fits(namespace: string[], condition: MatchCondition): boolean {
  const { path, matchType } = condition;
  if (namespace.length < path.length) return false;
  const part =
    matchType === "prefix" ? namespace.slice(0, path.length) : namespace.slice(namespace.length - path.length);
  return path.every((p, i) => p === "*" || p === part[i]);
}

const rules: Record<string, (a: unknown, b: unknown) => boolean> = {
  $eq: (a, b) => JSON.stringify(a) === JSON.stringify(b),
  $ne: (a, b) => JSON.stringify(a) !== JSON.stringify(b),
  $gt: (a, b) => Number(a) > Number(b),
  $gte: (a, b) => Number(a) >= Number(b),
  $lt: (a, b) => Number(a) < Number(b),
  $lte: (a, b) => Number(a) <= Number(b),
  $in: (a, b) => Array.isArray(b) && b.includes(a),
  $nin: (a, b) => Array.isArray(b) && !b.includes(a),
  $exists: (a, b) => (a !== undefined) === Boolean(b),
};

/** Reports whether a value fits a filter: equal values, or the rules above. */
function matches(value: Value, filter: Record<string, unknown> = {}): boolean {
  return Object.entries(filter).every(([name, want]) => {
    const isRule = typeof want === "object" && want !== null && Object.keys(want).some((k) => k.startsWith("$"));
    return Object.entries(isRule ? (want as object) : { $eq: want }).every(([op, x]) => {
      const rule = rules[op];
      if (!rule) throw new TypeError(`filter: ${op} is not known; there are ${Object.keys(rules).join(", ")}`);
      return rule(value[name], x);
    });
  });
}
