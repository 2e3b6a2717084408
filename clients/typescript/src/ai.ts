/**
 * Vercel AI SDK: a middleware that adds what is relevant to a prompt and keeps what was said, and tools. Needs ai.
 *
 *     const middleware = memoryMiddleware({ client, container: "ana", conversation: "thread-1" });
 *     const model = wrapLanguageModel({ model: base, middleware });
 *     const { text } = await generateText({ model, tools: memoryTools({ client, container: "ana" }), prompt: "…" });
 */
import { jsonSchema, tool, type LanguageModelMiddleware, type Tool } from "ai";
import { textOf } from "./history.js";
import type { Lukasa } from "./index.js";

export interface MemoryMiddlewareOptions {
  client: Lukasa;
  /** Where is recalled from, and where the conversation is kept. */
  container?: string;
  /** Your own name for the conversation; without it nothing is kept. */
  conversation?: string;
  /** Tokens of what is added at most; 1000 without it. */
  maxTokens?: number;
  /** Told of what went wrong with the memory; the model is asked all the same. */
  onError?: (error: unknown) => void;
}

type Params = Parameters<NonNullable<LanguageModelMiddleware["transformParams"]>>[0]["params"];
type Prompt = Params["prompt"];

/** What the user said last, if the prompt ends with it: after a tool's result it has been dealt with already. */
function lastSaid(prompt: Prompt): string {
  const last = prompt.at(-1);
  return last?.role === "user" ? textOf(last.content) : "";
}

/** Adds a brief before the last message of the user, so that what came before stays as it is for the vendor's cache. */
export function memoryMiddleware(options: MemoryMiddlewareOptions): LanguageModelMiddleware {
  const { client, conversation, maxTokens = 1000, onError } = options;
  const where = options.container === undefined ? {} : { container: options.container };
  const guarded = async <T>(act: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await act();
    } catch (e) {
      onError?.(e);
      return undefined;
    }
  };
  const keep = async (said: string, answered: string): Promise<void> => {
    if (conversation === undefined) return;
    const messages = [
      ...(said ? [{ role: "user", content: said }] : []),
      ...(answered ? [{ role: "assistant", content: answered }] : []),
    ];
    if (messages.length > 0) await guarded(() => client.addMessages({ conversation, messages, ...where }));
  };
  // What was said is read before the brief stands in the same message.
  const originals = new WeakMap<object, string>();
  return {
    transformParams: async ({ params }) => {
      const query = lastSaid(params.prompt);
      if (query === "") return params;
      const brief = await guarded(() =>
        client.brief({ query: query.slice(0, 2000), max_tokens: maxTokens, ...where }),
      );
      const last = params.prompt.at(-1);
      if (!brief?.text || last?.role !== "user") {
        originals.set(params, query);
        return params;
      }
      const content = [{ type: "text" as const, text: brief.text }, ...last.content];
      const changed = { ...params, prompt: [...params.prompt.slice(0, -1), { ...last, content }] };
      originals.set(changed, query);
      return changed;
    },
    wrapGenerate: async ({ doGenerate, params }) => {
      const result = await doGenerate();
      await keep(originals.get(params) ?? "", textOf(result.content.filter((part) => part.type === "text")));
      return result;
    },
    wrapStream: async ({ doStream, params }) => {
      const { stream, ...rest } = await doStream();
      let text = "";
      const kept = stream.pipeThrough(
        new TransformStream({
          transform(part, controller) {
            if (part.type === "text-delta") text += part.delta;
            controller.enqueue(part);
          },
          flush: () => keep(originals.get(params) ?? "", text),
        }),
      );
      return { stream: kept, ...rest };
    },
  };
}

/** The tools recall and remember, bound to a container. */
export function memoryTools(options: { client: Lukasa; container?: string; maxTokens?: number }): {
  recall: Tool<{ query: string }, string>;
  remember: Tool<{ statement: string }, string>;
} {
  const { client, maxTokens = 1000 } = options;
  const where = options.container === undefined ? {} : { container: options.container };
  const one = <T>(name: string, description: string) =>
    jsonSchema<T>({
      type: "object",
      properties: { [name]: { type: "string", description } },
      required: [name],
      additionalProperties: false,
    });
  return {
    recall: tool({
      description: "Look up what is remembered about a question, a person or a topic.",
      inputSchema: one<{ query: string }>("query", "What to look for, in plain words."),
      execute: async ({ query }): Promise<string> =>
        (await client.brief({ query, max_tokens: maxTokens, ...where })).text || "Nothing relevant is remembered.",
    }),
    remember: tool({
      description: "Keep a statement that will matter later: a fact, a preference, a decision.",
      inputSchema: one<{ statement: string }>("statement", "One statement that can be understood on its own."),
      execute: async ({ statement }): Promise<string> =>
        `Remembered: ${(await client.addMemory({ content: statement, ...where })).content}`,
    }),
  };
}
