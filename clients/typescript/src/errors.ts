/** What the server says of an error: see docs/api/errors.md. */
export interface ErrorFacts {
  status: number;
  code: string;
  message: string;
  category: string;
  details: Record<string, unknown>;
  hint: string;
  retryable: boolean;
  requestId: string;
  /** Seconds after which to come back, if the server said so. */
  retryAfter?: number;
}

/** The base of all errors of this client. `code` tells cases apart; `hint` says what to do. */
export class LukasaError extends Error {
  /** HTTP status; 0 without an answer. */
  readonly status: number;
  readonly code: string;
  readonly category: string;
  readonly details: Record<string, unknown>;
  readonly hint: string;
  readonly retryable: boolean;
  /** Stands in the server's log too; "" without an answer. */
  readonly requestId: string;
  readonly retryAfter: number | undefined;

  constructor(facts: Partial<ErrorFacts> & { message: string }, cause?: unknown) {
    super(
      facts.hint ? `${facts.message} (${facts.hint})` : facts.message,
      cause === undefined ? undefined : { cause },
    );
    this.name = new.target.name;
    this.status = facts.status ?? 0;
    this.code = facts.code ?? "";
    this.category = facts.category ?? "";
    this.details = facts.details ?? {};
    this.hint = facts.hint ?? "";
    this.retryable = facts.retryable ?? false;
    this.requestId = facts.requestId ?? "";
    this.retryAfter = facts.retryAfter;
  }

  /** The part of the request at fault, if the server names one. */
  get field(): string {
    return typeof this.details["field"] === "string" ? this.details["field"] : "";
  }
}

/** The request is malformed or breaks a rule: 400, 405, 413, 415, 422. */
export class InvalidRequestError extends LukasaError {}
/** No key was sent, or it is unknown, revoked or expired: 401. */
export class AuthenticationError extends LukasaError {}
/** The record may be seen, the act is not allowed: 403. */
export class ForbiddenError extends LukasaError {}
/** The record is absent, or not to be seen: 404. */
export class NotFoundError extends LukasaError {}
/** The request contradicts what is there: 409. */
export class ConflictError extends LukasaError {}
/** Too many requests with this key, after all tries: 429. */
export class RateLimitError extends LukasaError {}
/** A fault of the server, or of something that it needs: 5xx. */
export class ServerError extends LukasaError {}
/** No answer came, or one that is not lukasa's. */
export class ConnectionError extends LukasaError {}
/** No answer came in time. */
export class TimeoutError extends ConnectionError {}

/** Makes the error of an answer. The body may be anything: a proxy may have written it. */
export function errorOf(status: number, body: string, headers: Headers): LukasaError {
  let said: Record<string, unknown> = {};
  try {
    said = (JSON.parse(body) as { error?: Record<string, unknown> }).error ?? {};
  } catch {
    // Not JSON: a proxy's page. The status has to do.
  }
  const text = (name: string): string => (typeof said[name] === "string" ? (said[name] as string) : "");
  const facts: Partial<ErrorFacts> & { message: string } = {
    status,
    code: text("code") || `HTTP_${status}`,
    message: text("message") || `the server answered ${status}`,
    category: text("category"),
    details: (said["details"] as Record<string, unknown>) ?? {},
    hint: text("hint"),
    retryable: said["retryable"] === true || (said["retryable"] === undefined && (status === 429 || status > 501)),
    requestId: text("request_id") || headers.get("x-request-id") || "",
  };
  const after = retryAfter(headers);
  if (after !== undefined) facts.retryAfter = after;
  return new (classOf(status))(facts);
}

function classOf(status: number): typeof LukasaError {
  switch (status) {
    case 401:
      return AuthenticationError;
    case 403:
      return ForbiddenError;
    case 404:
      return NotFoundError;
    case 409:
      return ConflictError;
    case 429:
      return RateLimitError;
    default:
      return status >= 500 ? ServerError : status >= 400 ? InvalidRequestError : LukasaError;
  }
}

/** Reads Retry-After, which is a number of seconds or a date. */
export function retryAfter(headers: Headers, now: number = Date.now()): number | undefined {
  const value = headers.get("retry-after");
  if (value === null || value === "") return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000);
}
