// News of what changes. One stream of events per browser, not per tab: a browser opens at most six connections to an origin, and six tabs with a
// stream each would block it. The tab that holds the lock listens, and tells the others.
import { signal } from '@preact/signals'
import { epoch, probe, signedOut } from './api'

export interface News {
  id: string
  type: string
  record_id?: string
  container?: string
  data?: Record<string, unknown>
  at: string
}
type Word = { news: News } | { state: State } | { gap: true } | { hello: true }
type State = 'connecting' | 'live' | 'lost'

/** live says how the stream is. */
export const live = signal<State>('connecting')

const types = [
  'document.created',
  'document.updated',
  'document.status',
  'document.deleted',
  'memory.created',
  'memory.updated',
  'memory.deleted',
  'message.logged',
  'conversation.updated',
  'recall_file.finalized',
  'defining_memory.detected',
  'node.created',
  'node.deleted',
]
const ears = new Set<(n: News) => void>()
const seen = new Set<string>()
let channel: BroadcastChannel | undefined
let leading = false

/** hear calls back at each piece of news until the returned function is called. */
export function hear(fn: (n: News) => void) {
  ears.add(fn)
  return () => void ears.delete(fn)
}

function take(word: Word) {
  if ('news' in word) {
    if (seen.has(word.news.id)) return
    seen.add(word.news.id)
    if (seen.size > 2000) seen.delete(seen.values().next().value!)
    for (const fn of ears) fn(word.news)
  } else if ('state' in word) live.value = word.state
  else if ('gap' in word) epoch.value++
  else if (leading) channel?.postMessage({ state: live.value })
}
const tell = (word: Word) => {
  channel?.postMessage(word)
  take(word)
}

export function startLive() {
  if (typeof BroadcastChannel === 'function') {
    channel = new BroadcastChannel('lukasa-news')
    channel.onmessage = (e) => take(e.data as Word)
    channel.postMessage({ hello: true })
  }
  if (navigator.locks) void navigator.locks.request('lukasa-news', () => lead())
  else void lead() // no secure context: a tab for itself
}

/** lead listens for as long as this tab lives. */
function lead() {
  leading = true
  let wait = 500,
    missed = false
  const open = () => {
    if (signedOut.value !== null) {
      setTimeout(open, 1000)
      return
    }
    const source = new EventSource('/v1/events')
    source.onopen = () => {
      wait = 500
      if (missed) tell({ gap: true }) // what happened in between is not sent later
      missed = false
      tell({ state: 'live' })
    }
    source.onerror = () => {
      missed = true
      tell({ state: 'lost' })
      void probe()
      source.close()
      setTimeout(open, wait)
      wait = Math.min(wait * 2, 15_000)
    }
    for (const type of types)
      source.addEventListener(type, (e) => tell({ news: JSON.parse((e as MessageEvent<string>).data) }))
  }
  open()
  return new Promise<void>(() => {})
}
