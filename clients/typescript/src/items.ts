import type { Lukasa } from "./index.js";

/** An item that is there. */
export interface FoundItem<T> {
  documentId: string;
  data: T;
}

/**
 * Items under keys, each kept as one document: what a store of keys and values needs of lukasa. An item's data
 * stands in the document's
 * metadata; the document's text is what searches read. Equal texts in one container are one document, so the text
 * ends with a line
 * that no other item has.
 */
export class Items<T extends Record<string, unknown>> {
  readonly #client: Lukasa;
  readonly #container: string;
  readonly #field: string;

  /** field: the name of the metadata that holds the data. */
  constructor(client: Lukasa, container: string, field: string) {
    this.#client = client;
    this.#container = container;
    this.#field = field;
  }

  async #id(parts: readonly string[]): Promise<string> {
    const bytes = new TextEncoder().encode(JSON.stringify(parts));
    const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).slice(0, 16);
    return `${this.#field}:${[...sum].map((b) => b.toString(16).padStart(2, "0")).join("")}`;
  }

  async #tag(prefix: readonly string[]): Promise<string> {
    return prefix.length > 0 ? this.#id(prefix) : this.#field;
  }

  async get(key: readonly string[]): Promise<FoundItem<T> | undefined> {
    const custom_id = await this.#id(key);
    const [document] = (await this.#client.listDocuments({ container: this.#container, custom_id, limit: 1 })).items;
    return document && { documentId: document.id, data: document.metadata[this.#field] as T };
  }

  /**
   * Keeps an item; one that is there gets a new version. text: what searches read; prefixes: what it is listed
   * below.
   */
  async put(key: readonly string[], text: string, data: T, prefixes: readonly (readonly string[])[]): Promise<void> {
    const tags = [this.#field, ...(await Promise.all(prefixes.map((p) => this.#id(p))))];
    const metadata = { [this.#field]: data };
    const saved = await this.#client.addDocument({
      content: [text, key.join("/")].filter((t) => t !== "").join("\n\n"),
      container: this.#container,
      content_type: "text",
      custom_id: await this.#id(key),
      title: (key.at(-1) ?? "").slice(0, 500),
      tags,
      metadata,
      source: "agent",
    });
    // The same text: what stands beside it may be new.
    if (saved.deduplicated) await this.#client.updateDocument(saved.id, { metadata, tags });
  }

  /** Removes an item for good, with its earlier versions; reports whether it was there. */
  async delete(key: readonly string[]): Promise<boolean> {
    const there = await this.get(key);
    if (!there) return false;
    for (const version of await this.#client.listVersions(there.documentId).all()) {
      await this.#client.deleteDocument(version.id);
    }
    return true;
  }

  /** All items below a prefix, newest first. */
  async below(prefix: readonly string[] = []): Promise<FoundItem<T>[]> {
    const tags = [await this.#tag(prefix)];
    const documents = await this.#client.findDocuments({ container: this.#container, tags, limit: 100 }).all();
    return documents.map((d) => ({ documentId: d.id, data: d.metadata[this.#field] as T }));
  }

  /** Items below a prefix with their relevance, the most relevant first. */
  async search(
    query: string,
    prefix: readonly string[],
    limit: number,
  ): Promise<(FoundItem<T> & { score: number })[]> {
    const tags = [await this.#tag(prefix)];
    const where = { container: this.#container, tags, types: ["document", "chunk"], limit };
    const out = new Map<string, FoundItem<T> & { score: number }>();
    for (const hit of (await this.#client.search({ query, ...where })).results) {
      const data = hit.metadata[this.#field] as T | undefined;
      const documentId = hit.document?.id;
      if (data && documentId && !out.has(documentId)) out.set(documentId, { documentId, data, score: hit.relevance });
    }
    return [...out.values()];
  }
}
