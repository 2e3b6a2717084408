/**
 * OpenAI Agents: a session that keeps the items of a conversation, and tools. Needs @openai/agents; the tools need
 * zod too.
 *
 *     const session = new LukasaSession({ client, conversation: "thread-1", container: "ana" });
 *     const result = await run(agent, "Hello", { session });
 */
import { tool, type AgentInputItem, type FunctionTool, type Session } from "@openai/agents";
import { History, textOf, type HistoryOptions } from "./history.js";
import type { Lukasa } from "./index.js";
import type { Message, NewMessage } from "./types.js";

const field = "openai_agents"; // of the metadata: the item as it is

function toLukasa(item: AgentInputItem): NewMessage {
  const fields = item as unknown as Record<string, unknown>;
  const { role, content, output } = fields;
  if (typeof role === "string" && typeof content === "string" && Object.keys(fields).length === 2)
    return { role, content };
  // The arguments of a call are no statement of anybody; the result of one may be worth finding.
  const said = typeof role === "string" ? textOf(content) : textOf(output) || textOf([output]);
  return { role: typeof role === "string" ? role : "tool", content: said, metadata: { [field]: fields } };
}

function fromLukasa(message: Message): AgentInputItem {
  return (message.metadata[field] ?? { role: message.role, content: message.content }) as AgentInputItem;
}

/** The items of one conversation. What is said there is found by searches and becomes memories. */
export class LukasaSession implements Session {
  readonly #history: History;

  constructor(options: HistoryOptions) {
    this.#history = new History(options);
  }

  async getSessionId(): Promise<string> {
    return this.#history.conversation;
  }

  async getItems(limit?: number): Promise<AgentInputItem[]> {
    return (await this.#history.read(limit)).map(fromLukasa);
  }

  async addItems(items: AgentInputItem[]): Promise<void> {
    await this.#history.append(items.map(toLukasa));
  }

  async popItem(): Promise<AgentInputItem | undefined> {
    const last = await this.#history.pop();
    return last && fromLukasa(last);
  }

  async clearSession(): Promise<void> {
    await this.#history.clear();
  }
}

const one = (name: string, description: string) => ({
  type: "object" as const,
  properties: { [name]: { type: "string" as const, description } },
  required: [name],
  additionalProperties: false as const,
});

/** The tools recall and remember, bound to a container. */
export function memoryTools(options: { client: Lukasa; container?: string; maxTokens?: number }): FunctionTool[] {
  const { client, maxTokens = 1000 } = options;
  const where = options.container === undefined ? {} : { container: options.container };
  const recall = tool({
    name: "recall",
    description: "Look up what is remembered about a question, a person or a topic.",
    parameters: one("query", "What to look for, in plain words."),
    strict: true,
    execute: async (input: unknown) => {
      const { query } = input as { query: string };
      return (
        (await client.brief({ query, max_tokens: maxTokens, ...where })).text || "Nothing relevant is remembered."
      );
    },
  });
  const remember = tool({
    name: "remember",
    description: "Keep a statement that will matter later: a fact, a preference, a decision.",
    parameters: one("statement", "One statement that can be understood on its own."),
    strict: true,
    execute: async (input: unknown) => {
      const { statement } = input as { statement: string };
      return `Remembered: ${(await client.addMemory({ content: statement, ...where })).content}`;
    },
  });
  return [recall, remember] as unknown as FunctionTool[];
}
