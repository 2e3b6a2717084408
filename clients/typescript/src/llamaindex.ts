/**
 * LlamaIndex: a retriever and a memory block. Needs @llamaindex/core, which comes with llamaindex.
 *
 *     const retriever = new LukasaRetriever({ client, container: "ana", topK: 5 });
 *     const memory = createMemory({ memoryBlocks: [new LukasaMemoryBlock({ client, container: "ana" })] });
 */
import { BaseMemoryBlock, type MemoryMessage } from "@llamaindex/core/memory";
import { BaseRetriever } from "@llamaindex/core/retriever";
import { TextNode, type NodeWithScore } from "@llamaindex/core/schema";
import { textOf } from "./history.js";
import type { Lukasa } from "./index.js";
import type { SearchBody } from "./types.js";

type Query = Parameters<BaseRetriever["_retrieve"]>[0];

export interface LukasaRetrieverOptions {
  client: Lukasa;
  container?: string | string[];
  /** How many results at most; 10 without it. */
  topK?: number;
  /** More fields of the search, such as filters, ranker or threshold. */
  search?: Omit<SearchBody, "query" | "container" | "limit">;
}

/** Finds what is relevant to a query. */
export class LukasaRetriever extends BaseRetriever {
  readonly #options: LukasaRetrieverOptions;

  constructor(options: LukasaRetrieverOptions) {
    super();
    this.#options = options;
  }

  async _retrieve(params: Query): Promise<NodeWithScore[]> {
    const { client, container, topK = 10, search } = this.#options;
    const query = textOf(params.query);
    const found = await client.search({
      ...search,
      query,
      limit: topK,
      ...(container === undefined ? {} : { container }),
    });
    return found.results.map((hit) => {
      const metadata: Record<string, unknown> = { ...hit.metadata, type: hit.type, container: hit.container };
      if (hit.document) Object.assign(metadata, { document_id: hit.document.id, title: hit.document.title });
      if (hit.message) Object.assign(metadata, { conversation: hit.message.conversation, role: hit.message.role });
      return { node: new TextNode({ id_: hit.id, text: hit.content, metadata }), score: hit.score };
    });
  }
}

export interface LukasaMemoryBlockOptions {
  client: Lukasa;
  container?: string;
  /** Where what leaves the short-term memory is kept; "llamaindex" without it. */
  conversation?: string;
  maxTokens?: number;
  priority?: number;
  id?: string;
}

/** A block of LlamaIndex's memory: what leaves the short-term memory is kept, and what is relevant comes back. */
export class LukasaMemoryBlock extends BaseMemoryBlock {
  readonly #options: LukasaMemoryBlockOptions;

  constructor(options: LukasaMemoryBlockOptions) {
    super({ id: options.id ?? "lukasa", priority: options.priority ?? 1, isLongTerm: true });
    this.#options = options;
  }

  async get(messages: MemoryMessage[] = []): Promise<MemoryMessage[]> {
    const said = messages.filter((m) => m.role === "user").map((m) => textOf(m.content));
    const query = said.at(-1);
    if (!query) return [];
    const { client, container = "default", maxTokens = 1000 } = this.#options;
    const { text } = await client.brief({ query, container, max_tokens: maxTokens });
    return text ? [{ id: this.id, role: "memory", content: text }] : [];
  }

  async put(messages: MemoryMessage[]): Promise<void> {
    const { client, container = "default", conversation = "llamaindex" } = this.#options;
    const kept = messages
      .map((m) => ({ id: m.id, role: m.role, content: textOf(m.content) }))
      .filter((m) => m.content !== "");
    if (kept.length > 0) await client.addMessages({ conversation, container, messages: kept });
  }
}
