// What a hit is, where it leads, and why it was found.
import { useEffect, useRef } from 'preact/hooks'
import type { Hit } from '../lib/api'
import { number } from '../lib/format'
import { t, type Word } from '../lib/strings'
import type { IconName } from './ui'

export const hitIcon = (h: { type: string }): IconName =>
  h.type.includes('memory') ? 'memory' : h.type === 'message' || h.type === 'recall_file' ? 'talk' : 'document'

/** hitTo is the page of a hit; peek opens a memory beside the list that it stands in. */
export function hitTo(h: Hit, whole = false): string {
  if (h.type.includes('memory')) return whole ? `/memories/${h.id}` : h.id
  if (h.type === 'message' && h.message)
    return `/conversations/${encodeURIComponent(h.message.conversation)}?container=${encodeURIComponent(h.container)}&at=${h.message.record_id}`
  if (h.type === 'recall_file') return `/recall-files/${h.document?.id ?? h.id}`
  return (
    `/documents/${h.document?.id ?? h.id}` +
    (h.chunk?.id || h.id.startsWith('chk_') ? `?at=${h.chunk?.start ?? 0}` : '')
  )
}

const groups: [Word, string, string[]][] = [
  ['part_meaning', 'bg-accent', ['vector', 'meaning']],
  ['part_words', 'bg-fact', ['text', 'length']],
  ['part_names', 'bg-preference', ['names', 'speaker', 'self', 'self_density', 'graph']],
  ['part_context', 'bg-insight', ['context', 'session', 'topic', 'feedback', 'defining']],
  ['part_time', 'bg-task', ['recency', 'time', 'moment']],
]
/** grouped adds up the parts of a score by what they look at; parts below zero count as none in the bar, and are listed. */
export function grouped(parts: Record<string, number> = {}) {
  const known = new Set(groups.flatMap(([, , names]) => names))
  const out = groups.map(([word, tone, names]) => ({
    word,
    tone,
    value: names.reduce((s, n) => s + Math.max(0, parts[n] ?? 0), 0),
  }))
  const rest = Object.entries(parts).reduce((s, [n, v]) => s + (known.has(n) ? 0 : Math.max(0, v)), 0)
  if (rest > 0) out.push({ word: 'part_other', tone: 'bg-control', value: rest })
  return out.filter((g) => g.value > 0.001)
}

/** ScoreBar draws the parts of a score beside each other; as a table they are in ScoreParts. */
export function ScoreBar({ hit }: { hit: Hit }) {
  const parts = grouped(hit.parts)
  const sum = parts.reduce((s, p) => s + p.value, 0) || 1
  const ref = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    parts.forEach((p, i) => {
      ;(ref.current!.children[i] as HTMLElement).style.width = (p.value / sum) * 100 + '%'
    })
  }, [hit])
  const words = parts.map((p) => `${t(p.word)} ${number((p.value / sum) * 100)} %`).join(', ')
  return (
    <span
      ref={ref}
      role="img"
      aria-label={t('score_parts', words)}
      title={words}
      class="inline-flex h-2 w-28 gap-px overflow-hidden rounded-full bg-line"
    >
      {parts.map((p) => (
        <span key={p.word} class={'h-full ' + p.tone} />
      ))}
    </span>
  )
}

function PartBar({ value, tone }: { value: number; tone: string }) {
  const ref = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    ref.current!.style.width = Math.min(1, Math.abs(value)) * 100 + '%'
  }, [value])
  return (
    <span class="block h-1.5 w-full overflow-hidden rounded-full bg-line">
      <span ref={ref} class={'block h-full rounded-full ' + tone} />
    </span>
  )
}

export function ScoreParts({ hit }: { hit: Hit }) {
  const tone = (name: string, v: number) =>
    v < 0 ? 'bg-danger' : (groups.find(([, , names]) => names.includes(name))?.[1] ?? 'bg-control')
  const rows = Object.entries(hit.parts ?? {})
    .filter(([, v]) => v !== 0)
    .sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]))
  return (
    <table class="w-full max-w-md">
      <caption class="sr-only">{t('why_found')}</caption>
      <tbody>
        {rows.map(([name, v]) => (
          <tr key={name}>
            <th scope="row" class="w-32 py-0.5 text-start font-normal text-muted">
              {name.replaceAll('_', ' ')}
            </th>
            <td class="py-0.5">
              <PartBar value={v} tone={tone(name, v)} />
            </td>
            <td class="mono w-16 py-0.5 text-end">{number(v, 3)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
