/** One server-sent event. */
export interface SseEvent {
  event: string;
  data: string;
  id: string;
}

/**
 * Splits a stream of text into lines; CR, LF and CRLF end one. What has no end at the end of the stream is a line
 * too.
 */
export async function* lines(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      // A CR at the very end may be the first half of CRLF: it waits for what follows.
      const held = !done && rest.endsWith("\r") ? 1 : 0;
      const parts = rest.slice(0, rest.length - held).split(/\r\n|\n|\r/);
      rest = (parts.pop() ?? "") + rest.slice(rest.length - held);
      yield* parts;
      if (done) {
        if (rest !== "") yield rest;
        return;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Reads server-sent events as the WHATWG standard has them. `tick` hears of every line, comments too. */
export async function* sse(
  body: ReadableStream<Uint8Array>,
  tick?: () => void,
): AsyncGenerator<SseEvent, void, undefined> {
  let event = "";
  let data: string[] = [];
  let id = "";
  let first = true;
  for await (let line of lines(body)) {
    tick?.();
    if (first && line.startsWith("\uFEFF")) line = line.slice(1);
    first = false;
    if (line === "") {
      if (data.length > 0) yield { event: event || "message", data: data.join("\n"), id };
      event = "";
      data = [];
      continue;
    }
    const colon = line.indexOf(":");
    if (colon === 0) continue;
    const name = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? "" : line.slice(colon + 1);
    if (value.startsWith(" ")) value = value.slice(1);
    if (name === "event") event = value;
    else if (name === "data") data.push(value);
    else if (name === "id" && !value.includes("\0")) id = value;
  }
}
