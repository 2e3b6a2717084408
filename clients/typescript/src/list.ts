/** One page of a list. */
export interface Page<T> {
  items: T[];
  /** Where the next page begins; "" on the last one. */
  next_cursor: string;
  /** How many there are on all pages. */
  total: number;
}

/** Fetches a page: from a cursor, or from an offset where the list has no cursors. */
export type Fetch<T> = (place: { cursor?: string; offset?: number }) => Promise<Page<T>>;

/**
 * A list that is read page by page. `await` it for its first page, or go through all of it:
 *
 *     const { items, total } = await lukasa.listMemories({ limit: 5 });
 *     for await (const memory of lukasa.listMemories()) console.log(memory.content);
 *
 * An async function that returns a List returns its first page, as the language awaits what is returned.
 */
export class List<T> implements AsyncIterable<T>, PromiseLike<Page<T>> {
  readonly #fetch: Fetch<T>;

  constructor(fetch: Fetch<T>) {
    this.#fetch = fetch;
  }

  then<A = Page<T>, B = never>(
    done?: ((page: Page<T>) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#fetch({}).then(done, failed);
  }

  /** All pages, one after the other. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let place: { cursor?: string; offset?: number } = {};
    for (;;) {
      const page = await this.#fetch(place);
      yield page;
      const more = (page as { pagination?: { has_more?: boolean; offset?: number } }).pagination;
      if (page.next_cursor) place = { cursor: page.next_cursor };
      else if (more?.has_more && page.items.length > 0) place = { offset: (more.offset ?? 0) + page.items.length };
      else return;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.items;
  }

  /** Reads all items into memory; with a limit at most so many. */
  async all(limit: number = Infinity): Promise<T[]> {
    const out: T[] = [];
    if (limit <= 0) return out;
    for await (const item of this) {
      out.push(item);
      if (out.length >= limit) break;
    }
    return out;
  }
}
