/**
 * LangChain: a chat history, a retriever and the classic memory. Needs @langchain/core.
 *
 *     const history = new LukasaChatMessageHistory({ client, conversation: "thread-1", container: "ana" });
 *     const retriever = new LukasaRetriever({ client, container: "ana", k: 5 });
 *     const chain = new ConversationChain({ llm, memory: new LukasaMemory({ client, conversation: "thread-1" }) });
 */
import { BaseListChatMessageHistory } from "@langchain/core/chat_history";
import { Document } from "@langchain/core/documents";
import { BaseMemory, type InputValues, type MemoryVariables, type OutputValues } from "@langchain/core/memory";
import {
  AIMessage,
  getBufferString,
  HumanMessage,
  mapStoredMessageToChatMessage,
  SystemMessage,
  type BaseMessage,
  type StoredMessage,
} from "@langchain/core/messages";
import { BaseRetriever, type BaseRetrieverInput } from "@langchain/core/retrievers";
import { History, textOf, type HistoryOptions } from "./history.js";
import type { Lukasa } from "./index.js";
import type { Message, NewMessage, SearchBody } from "./types.js";

const field = "langchain"; // of the metadata: the message as LangChain writes it
const roles: Record<string, string> = {
  human: "user",
  ai: "assistant",
  system: "system",
  tool: "tool",
  function: "tool",
};
const plain: Record<string, new (text: string) => BaseMessage> = {
  user: HumanMessage,
  assistant: AIMessage,
  system: SystemMessage,
};

function toLukasa(message: BaseMessage): NewMessage {
  const role = roles[message.type] ?? message.type;
  const out: NewMessage = { role, content: textOf(message.content) };
  const stored = message.toDict();
  const make = plain[role];
  const simple = make && JSON.stringify(new make(textOf(message.content)).toDict());
  if (JSON.stringify(stored) !== simple) out.metadata = { [field]: stored };
  if (message.name) out.speaker = message.name;
  return out;
}

function fromLukasa(message: Message): BaseMessage {
  const stored = message.metadata[field] as StoredMessage | undefined;
  if (stored) return mapStoredMessageToChatMessage(stored);
  return new (plain[message.role ?? ""] ?? HumanMessage)(message.content);
}

/** The messages of one conversation. What is said there is found by searches and becomes memories. */
export class LukasaChatMessageHistory extends BaseListChatMessageHistory {
  lc_namespace = ["lukasa", "langchain"];
  readonly #history: History;
  readonly #limit: number | undefined;

  /** limit: only the newest so many messages are given back; all without it. */
  constructor(options: HistoryOptions & { limit?: number }) {
    super();
    this.#history = new History(options);
    this.#limit = options.limit;
  }

  async getMessages(): Promise<BaseMessage[]> {
    return (await this.#history.read(this.#limit)).map(fromLukasa);
  }

  async addMessage(message: BaseMessage): Promise<void> {
    await this.#history.append([toLukasa(message)]);
  }

  override async addMessages(messages: BaseMessage[]): Promise<void> {
    await this.#history.append(messages.map(toLukasa));
  }

  override async clear(): Promise<void> {
    await this.#history.clear();
  }
}

export interface LukasaRetrieverOptions extends BaseRetrieverInput {
  client: Lukasa;
  container?: string | string[];
  /** How many results at most; 10 without it. */
  k?: number;
  /** More fields of the search, such as filters, ranker or threshold. */
  search?: Omit<SearchBody, "query" | "container" | "limit">;
}

/** Finds what is relevant to a query. */
export class LukasaRetriever extends BaseRetriever {
  lc_namespace = ["lukasa", "langchain"];
  readonly #options: LukasaRetrieverOptions;

  constructor(options: LukasaRetrieverOptions) {
    super(options);
    this.#options = options;
  }

  override async _getRelevantDocuments(query: string): Promise<Document[]> {
    const { client, container, k = 10, search } = this.#options;
    const found = await client.search({
      ...search,
      query,
      limit: k,
      ...(container === undefined ? {} : { container }),
    });
    return found.results.map((hit) => {
      const { id, type, score, relevance, tags } = hit;
      const metadata: Record<string, unknown> = {
        ...hit.metadata,
        lukasa_id: id,
        type,
        container: hit.container,
        score,
        relevance,
        tags,
      };
      if (hit.document) Object.assign(metadata, { document_id: hit.document.id, title: hit.document.title });
      if (hit.message) Object.assign(metadata, { conversation: hit.message.conversation, role: hit.message.role });
      if (hit.occurred_at) metadata["occurred_at"] = hit.occurred_at;
      return new Document({ id, pageContent: hit.content, metadata });
    });
  }
}

export interface LukasaMemoryOptions extends HistoryOptions {
  /** The variable that the chain's prompt has for it; "history" without it. */
  memoryKey?: string;
  /** What of a chain's inputs and outputs is said; needed where there are several. */
  inputKey?: string;
  outputKey?: string;
  /** Tokens of the brief; 1000 without it, 0 leaves it out. */
  maxTokens?: number;
  /** How many messages of this conversation are given back; 10 without it. */
  last?: number;
  /** Give messages, not a text; the brief is a system message then. */
  returnMessages?: boolean;
}

/**
 * The memory of classic chains. A chain is given a brief of what is relevant to its input, from everything that the
 * container holds, and
 * the last turns of this conversation.
 */
export class LukasaMemory extends BaseMemory {
  readonly #history: History;
  readonly #options: LukasaMemoryOptions;

  constructor(options: LukasaMemoryOptions) {
    super();
    this.#history = new History(options);
    this.#options = options;
  }

  get memoryKeys(): string[] {
    return [this.#options.memoryKey ?? "history"];
  }

  async loadMemoryVariables(values: InputValues): Promise<MemoryVariables> {
    const { maxTokens = 1000, last = 10, returnMessages, client } = this.#options;
    const messages = (await this.#history.read(last)).map(fromLukasa);
    const query = Object.keys(values).length > 0 ? this.#said(values, this.#options.inputKey, "inputKey") : "";
    let brief = "";
    if (query !== "" && maxTokens > 0) {
      brief = (await client.brief({ query, container: this.#history.container, max_tokens: maxTokens })).text ?? "";
    }
    const key = this.memoryKeys[0] as string;
    if (returnMessages) return { [key]: [...(brief ? [new SystemMessage(brief)] : []), ...messages] };
    return { [key]: [brief, getBufferString(messages)].filter((t) => t !== "").join("\n\n") };
  }

  async saveContext(inputs: InputValues, outputs: OutputValues): Promise<void> {
    const said = this.#said(inputs, this.#options.inputKey, "inputKey");
    const answered = this.#said(outputs, this.#options.outputKey, "outputKey");
    await this.#history.append([
      { role: "user", content: said },
      { role: "assistant", content: answered },
    ]);
  }

  /** Removes this conversation for good, with what is known from it alone. */
  async clear(): Promise<void> {
    await this.#history.clear();
  }

  #said(values: Record<string, unknown>, given: string | undefined, name: string): string {
    const rest = Object.keys(values).filter(
      (k) => k !== this.memoryKeys[0] && k !== "stop" && k !== "signal" && k !== "timeout",
    );
    if (given === undefined && rest.length !== 1) {
      throw new TypeError(`${name}: is needed, as there are several: ${rest.sort().join(", ") || "none"}`);
    }
    const value = values[given ?? (rest[0] as string)];
    return typeof value === "string" ? value : textOf((value as { content?: unknown })?.content) || String(value);
  }
}
