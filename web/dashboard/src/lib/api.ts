// The one way to the server: the public API, with types from its own description. A session is a cookie; nothing here knows a key.
import { signal } from '@preact/signals'
import type { components, paths } from '../api/schema'

/** Solid reads an answer as if every field were there. Fields that may be missing are read with `?.` or `??`. */
type Solid<T> = T extends (infer U)[]
  ? Solid<U>[]
  : T extends object
    ? { [K in keyof T]-?: Solid<NonNullable<T[K]>> }
    : T
type Schemas = components['schemas']

export type Memory = Solid<Schemas['Memory']>
export type RelatedMemory = Solid<Schemas['RelatedMemory']>
export type Document = Solid<Schemas['Document']>
export type Chunk = Solid<Schemas['Chunk']>
export type Hit = Solid<Schemas['FoundHit']>
export type Found = Solid<Schemas['Found']>
export type Message = Solid<Schemas['Message']>
export type Conversation = Solid<Schemas['Conversation']>
export type RecallFile = Solid<Schemas['RecallFile']>
export type Branch = Solid<Schemas['Branch']>
export type Delta = Solid<Schemas['Delta']>
export type Key = Solid<Schemas['Key']>
export type Brief = Solid<Schemas['Brief']>
export type Vertex = Solid<Schemas['Vertex']>
export type Edge = Solid<Schemas['Edge']>
export type Stats = Solid<Schemas['Stats']>
export type Listing<T> = { items: T[]; next_cursor: string; total: number }

/** Fault is an error of the API: what happened, and what to do about it. */
export class Fault extends Error {
  constructor(
    message: string,
    readonly status = 0,
    readonly code = '',
    readonly hint = '',
    readonly details: Record<string, unknown> = {},
  ) {
    super(message)
  }
}

/** away is true while the server does not answer. */
export const away = signal(false)
/** signedOut holds why there is no session; null while there is one. */
export const signedOut = signal<string | null>(null)
/** epoch grows when everything that is shown should be read anew: the server was away, or news were missed. */
export const epoch = signal(0)

type Query = Record<string, string | number | boolean | undefined | null>
export interface Ask {
  query?: Query
  body?: unknown
  raw?: BodyInit
  type?: string
  signal?: AbortSignal
  tries?: number
}

const pause = (ms: number, signal?: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        reject(signal.reason)
      },
      { once: true },
    )
  })

export function address(path: string, query?: Query) {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined && value !== null && value !== '') params.set(name, String(value))
  return path + (params.size ? '?' + params : '')
}

export async function request(method: string, path: string, ask: Ask = {}): Promise<Response> {
  const headers: Record<string, string> = { 'X-Lukasa-Dashboard': '1', Accept: 'application/json' }
  let body = ask.raw
  if (ask.body !== undefined) {
    body = JSON.stringify(ask.body)
    headers['Content-Type'] = 'application/json'
  } else if (ask.type) headers['Content-Type'] = ask.type
  for (let left = ask.tries ?? 4; ; left--) {
    let res: Response
    try {
      res = await fetch(address(path, ask.query), {
        method,
        headers,
        body,
        signal: ask.signal,
        credentials: 'same-origin',
      })
    } catch (err) {
      if (ask.signal?.aborted) throw err
      lost()
      throw new Fault('', 0, 'AWAY')
    }
    if (res.ok) {
      back()
      return res
    }
    if ((res.status === 429 || (res.status === 503 && method === 'GET')) && left > 1) {
      await pause(Math.min(Number(res.headers.get('Retry-After')) || 1, 10) * 1000, ask.signal)
      continue
    }
    throw await fault(res, path)
  }
}

async function fault(res: Response, path: string) {
  let said: Partial<Schemas['FaultBody']> = {}
  try {
    said = (await res.json()).error ?? {}
  } catch {
    /* not ours: a proxy in front */
  }
  const err = new Fault(
    said.message || `${res.status} ${res.statusText}`,
    res.status,
    said.code ?? '',
    said.hint ?? '',
    (said.details ?? {}) as Record<string, unknown>,
  )
  if (res.status === 401 && !path.startsWith('/dashboard/')) signedOut.value = err.message
  if (res.status === 502 || res.status === 504) lost()
  return err
}

/** json makes one call and reads its answer; T is what the caller knows of it. */
export async function json<T>(method: string, path: string, ask?: Ask): Promise<T> {
  const res = await request(method, path, ask)
  const text = await res.text()
  return (text ? JSON.parse(text) : undefined) as T
}

type GetPath = {
  [P in keyof paths]: paths[P] extends { get: { responses: { 200: { content: { 'application/json': unknown } } } } }
    ? P
    : never
}[keyof paths]
type Answer<P extends GetPath> = paths[P] extends {
  get: { responses: { 200: { content: { 'application/json': infer A } } } }
}
  ? Solid<A>
  : never
type Params<P extends GetPath> = paths[P] extends { get: { parameters: { query?: infer Q } } }
  ? { [K in keyof NonNullable<Q>]?: string | number | boolean | undefined }
  : never

/** get reads an address of the description; its parameters and its answer are typed by that. Parts in braces are filled from at. */
export function get<P extends GetPath>(
  path: P,
  query?: Params<P>,
  signal?: AbortSignal,
  at: Record<string, string> = {},
): Promise<Answer<P>> {
  const full = (path as string).replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(at[name]!))
  return json('GET', full, { query: query as Query, signal })
}

/** probe finds out whether the server is away, where something else has failed. */
export async function probe() {
  try {
    await fetch('/ready', { cache: 'no-store' })
  } catch {
    lost()
  }
}

let looking = false
/** lost asks for the server until it answers again. */
function lost() {
  away.value = true
  if (looking) return
  looking = true
  const look = async () => {
    try {
      const res = await fetch('/ready', { cache: 'no-store' })
      if (res.ok || res.status === 401) {
        looking = false
        back()
        return
      }
    } catch {
      /* still away */
    }
    setTimeout(look, 1500)
  }
  setTimeout(look, 1000)
}
function back() {
  if (!away.value) return
  away.value = false
  epoch.value++
}

export async function signIn(how: { key?: string; link?: string }) {
  await request('POST', '/dashboard/session', { body: how, tries: 1 })
  signedOut.value = null
  epoch.value++
}

export async function signOut() {
  await request('DELETE', '/dashboard/session')
  signedOut.value = ''
}
