import { NotFoundError } from "./errors.js";
import type { Lukasa } from "./index.js";
import type { Message, NewMessage } from "./types.js";

const batch = 1000; // messages in one call
const page = 100;

/** Which conversation an integration keeps, and where. */
export interface HistoryOptions {
  client: Lukasa;
  /** Your own name for the conversation. */
  conversation: string;
  /** Where it is kept; "default" without it. */
  container?: string | undefined;
}

/** The text of a content that is a text or a list of parts, as OpenAI, Anthropic and LangChain have them. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const texts = content.map((part: unknown) => {
    if (typeof part === "string") return part;
    const text = (part as { text?: unknown } | null)?.text;
    return typeof text === "string" ? text : "";
  });
  return texts.filter((t) => t !== "").join("\n");
}

/** The messages of one conversation, oldest first. */
export class History {
  readonly client: Lukasa;
  readonly conversation: string;
  readonly container: string;

  constructor(options: HistoryOptions) {
    this.client = options.client;
    this.conversation = options.conversation;
    this.container = options.container ?? "default";
  }

  /** All messages, or the newest ones if there is a limit. */
  async read(limit?: number): Promise<Message[]> {
    const { client, conversation, container } = this;
    try {
      if (limit === undefined) return await client.listMessages(conversation, { container, limit: page }).all();
      const { total } = await client.listMessages(conversation, { container, limit: 1 });
      const out: Message[] = [];
      while (out.length < Math.min(limit, total)) {
        const place = { offset: Math.max(0, total - limit) + out.length, limit: Math.min(page, limit - out.length) };
        const { items } = await client.listMessages(conversation, { container, ...place });
        if (items.length === 0) break;
        out.push(...items);
      }
      return out;
    } catch (e) {
      if (e instanceof NotFoundError) return [];
      throw e;
    }
  }

  async append(messages: readonly NewMessage[]): Promise<void> {
    const { client, conversation, container } = this;
    for (let i = 0; i < messages.length; i += batch) {
      await client.addMessages({ conversation, container, messages: messages.slice(i, i + batch) });
    }
  }

  /** Removes the newest message for good and returns it. */
  async pop(): Promise<Message | undefined> {
    const [last] = await this.read(1);
    if (last) await this.client.deleteMessage(last.id);
    return last;
  }

  /** Removes the conversation for good, with what is known from it alone. */
  async clear(): Promise<void> {
    try {
      const { id } = await this.client.getConversation(this.conversation, { container: this.container });
      await this.client.deleteConversation(id);
    } catch (e) {
      if (!(e instanceof NotFoundError)) throw e;
    }
  }
}
