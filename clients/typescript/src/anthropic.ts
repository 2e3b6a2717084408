/**
 * Anthropic: the handlers of the memory tool (memory_20250818) over a container. They need no package of their own.
 *
 *     import { betaMemoryTool } from "@anthropic-ai/sdk/helpers/beta/memory";
 *     const tool = betaMemoryTool(memoryToolHandlers({ client, container: "ana" }));
 *
 * Each file is one document, so that what an agent notes is found by searches too. A directory is there while
 * something is in it;
 * /memories always is.
 */
import type { Lukasa } from "./index.js";
import { Items } from "./items.js";

const root = "/memories";
const width = 6; // of a line number
const mostLines = 999_999;
const directorySize = 4096; // what a directory shows

interface Kept extends Record<string, unknown> {
  path: string;
  text: string;
}

/** A command that was refused; its message is for the model. */
export class MemoryFileError extends Error {}

export interface MemoryToolHandlers {
  view(command: { path: string; view_range?: number[] | null }): Promise<string>;
  create(command: { path: string; file_text: string }): Promise<string>;
  str_replace(command: { path: string; old_str: string; new_str?: string | null }): Promise<string>;
  insert(command: { path: string; insert_line: number; insert_text: string }): Promise<string>;
  delete(command: { path: string }): Promise<string>;
  rename(command: { old_path: string; new_path: string }): Promise<string>;
}

/** The handlers of the six commands. container: one for each user or agent; "memories" without it. */
export function memoryToolHandlers(options: { client: Lukasa; container?: string }): MemoryToolHandlers {
  const items = new Items<Kept>(options.client, options.container ?? "memories", "memory_tool");
  const file = async (at: string): Promise<string | undefined> =>
    at === root ? undefined : (await items.get([at]))?.data.text;
  const below = async (at: string): Promise<Map<string, string>> =>
    new Map((await items.below([at])).map(({ data }) => [data.path, data.text]));
  const write = (at: string, text: string): Promise<void> => {
    const parts = at.split("/");
    const directories = parts.slice(2).map((_, i) => [parts.slice(0, i + 2).join("/")]);
    return items.put([at], text, { path: at, text }, directories);
  };
  const read = async (path: string): Promise<[string, string]> => {
    const at = place(path);
    const text = await file(at);
    if (text !== undefined) return [at, text];
    if (at === root || (await below(at)).size > 0) throw new MemoryFileError(`The path ${path} is not a file.`);
    throw new MemoryFileError(`The path ${path} does not exist. Please provide a valid path.`);
  };
  const taken = async (at: string): Promise<boolean> =>
    at === root || (await file(at)) !== undefined || (await below(at)).size > 0;

  return {
    async view({ path, view_range }) {
      const at = place(path);
      const text = await file(at);
      if (text === undefined) return listing(path, at, await below(at));
      const lines = text.split("\n");
      if (lines.length > mostLines)
        throw new MemoryFileError(`File ${path} exceeds maximum line limit of 999,999 lines.`);
      const [from, to] = view_range?.length === 2 ? (view_range as [number, number]) : [1, -1];
      const first = Math.max(1, from);
      const shown = lines.slice(first - 1, to === -1 ? lines.length : to);
      return `Here's the content of ${path} with line numbers:\n${numbered(shown, first)}`;
    },
    async create({ path, file_text }) {
      const at = place(path);
      if (await taken(at)) throw new MemoryFileError(`File ${path} already exists`);
      await write(at, file_text);
      return `File created successfully at: ${path}`;
    },
    async str_replace({ path, old_str, new_str }) {
      const [at, content] = await read(path);
      const parts = content.split(old_str);
      if (!content.includes(old_str)) {
        const text = `No replacement was performed, old_str \`${old_str}\` did not appear verbatim in ${path}.`;
        throw new MemoryFileError(text);
      }
      if (parts.length > 2 || old_str === "") {
        const lines: number[] = [];
        for (let i = 0; i < content.length; i++) {
          if (content.startsWith(old_str, i)) lines.push(content.slice(0, i).split("\n").length);
        }
        throw new MemoryFileError(
          `No replacement was performed. Multiple occurrences of old_str \`${old_str}\` in lines: ${lines.join(", ")}. ` +
            "Please ensure it is unique",
        );
      }
      const changed = (parts[0] as string).split("\n").length - 1;
      const text = parts.join(new_str ?? "");
      await write(at, text);
      const first = Math.max(0, changed - 2);
      const snippet = numbered(text.split("\n").slice(first, changed + 3), first + 1);
      return `The memory file has been edited. Here is the snippet showing the change (with line numbers):\n${snippet}`;
    },
    async insert({ path, insert_line, insert_text }) {
      const [at, content] = await read(path);
      const lines = content.split("\n");
      if (!(insert_line >= 0 && insert_line <= lines.length)) {
        throw new MemoryFileError(
          `Invalid \`insert_line\` parameter: ${insert_line}. It should be within the range of lines of the file: ` +
            `[0, ${lines.length}]`,
        );
      }
      lines.splice(insert_line, 0, insert_text.replace(/\n$/, ""));
      await write(at, lines.join("\n"));
      return `The file ${path} has been edited.`;
    },
    async delete({ path }) {
      const at = place(path);
      if (at === root) throw new MemoryFileError("Cannot delete the /memories directory itself");
      if (!(await items.delete([at]))) {
        const files = [...(await below(at)).keys()];
        if (files.length === 0) throw new MemoryFileError(`The path ${path} does not exist`);
        for (const name of files) await items.delete([name]);
      }
      return `Successfully deleted ${path}`;
    },
    async rename({ old_path, new_path }) {
      const old = place(old_path);
      const target = place(new_path);
      if (old === root) throw new MemoryFileError("Cannot rename the /memories directory itself");
      if (await taken(target)) throw new MemoryFileError(`The destination ${new_path} already exists`);
      const text = await file(old);
      const moved = text === undefined ? await below(old) : new Map([[old, text]]);
      if (moved.size === 0) throw new MemoryFileError(`The path ${old_path} does not exist`);
      if (target.startsWith(old + "/")) throw new MemoryFileError(`Cannot move ${old_path} into itself`);
      for (const [name, content] of moved) {
        await write(target + name.slice(old.length), content);
        await items.delete([name]);
      }
      return `Successfully renamed ${old_path} to ${new_path}`;
    },
  };
}

/** The path without . and .., which must lie below /memories. */
function place(path: string): string {
  if (typeof path !== "string" || !(path === root || path.startsWith(root + "/"))) {
    throw new MemoryFileError(`Path must start with /memories, got: ${path}`);
  }
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  const at = "/" + parts.join("/");
  if (at !== root && !at.startsWith(root + "/"))
    throw new MemoryFileError(`Path ${path} would escape /memories directory`);
  return at;
}

function listing(path: string, at: string, files: Map<string, string>): string {
  if (files.size === 0 && at !== root)
    throw new MemoryFileError(`The path ${path} does not exist. Please provide a valid path.`);
  const rows: string[] = [];
  const show = (directory: string, shownAs: string, depth: number): void => {
    const names = new Set<string>();
    for (const name of files.keys()) {
      if (name.startsWith(directory + "/")) names.add(name.slice(directory.length + 1).split("/")[0] as string);
    }
    for (const name of [...names].filter((n) => !n.startsWith(".") && n !== "node_modules").sort()) {
      const text = files.get(`${directory}/${name}`);
      if (text !== undefined) {
        rows.push(`${size(new TextEncoder().encode(text).length)}\t${shownAs}/${name}`);
        continue;
      }
      rows.push(`${size(directorySize)}\t${shownAs}/${name}/`);
      if (depth < 2) show(`${directory}/${name}`, `${shownAs}/${name}`, depth + 1);
    }
  };
  show(at, path, 1);
  const head = `Here're the files and directories up to 2 levels deep in ${path}, excluding hidden items and node_modules:`;
  return [head, `${size(directorySize)}\t${path}`, ...rows].join("\n");
}

function numbered(lines: readonly string[], first: number): string {
  return lines.map((line, i) => `${String(first + i).padStart(width)}\t${line}`).join("\n");
}

function size(bytes: number): string {
  if (bytes === 0) return "0B";
  const unit = Math.min(Math.floor(Math.log2(bytes) / 10), 3);
  const value = bytes / 1024 ** unit;
  return (Number.isInteger(value) ? String(value) : value.toFixed(1)) + "BKMG"[unit];
}
