import { useEffect, useRef, useState } from 'preact/hooks'
import { get, json, type Memory } from '../lib/api'
import { useData } from '../lib/data'
import { useKeys } from '../lib/keys'
import { mayWrite } from '../lib/me'
import { href } from '../lib/router'
import { t } from '../lib/strings'
import { Ago, Button, Confidence, Container, Empty, fail, Head, Icon, KindBadge, say, Show } from '../parts/ui'

type Case = { why: 'quarantined' | 'candidate' | 'conflict' | 'twins' | 'unsure'; m: Memory; other?: Memory }
const among = 500

/** cases gathers what a person should look at. The queue is taken once, so that it does not shuffle under the keys. */
async function cases(s: AbortSignal): Promise<Case[]> {
  const held: Case[] = []
  for (const why of ['quarantined', 'candidate'] as const) {
    const l = await get('/v1/memories', { state: why, limit: 100 }, s)
    held.push(...((l.items ?? []) as Memory[]).map((m) => ({ why, m })))
  }
  const all: Memory[] = []
  for (let offset = 0; offset < among; offset += 100) {
    const l = await get('/v1/memories', { latest: true, offset, limit: 100 }, s)
    all.push(...((l.items ?? []) as Memory[]))
    if (offset + 100 >= l.total) break
  }
  const open = all.filter((m) => m.state !== 'archived' && !isHeld(m))
  const out = held
  const paired = new Set<string>()
  const slots = Map.groupBy(
    open.filter((m) => m.slot && m.value),
    (m) => [m.container, m.subject, m.slot].join('\n'),
  )
  for (const list of slots.values())
    for (const other of list.slice(1))
      if (other.value !== list[0]!.value && !multiple.test(other.slot)) {
        out.push({ why: 'conflict', m: list[0]!, other })
        paired.add(list[0]!.id).add(other.id)
      }
  const texts = Map.groupBy(
    open.filter((m) => !paired.has(m.id)),
    (m) =>
      m.container +
      '\n' +
      m.content
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, ' ')
        .trim(),
  )
  for (const list of texts.values())
    for (const other of list.slice(1)) {
      out.push({ why: 'twins', m: list[0]!, other })
      paired.add(list[0]!.id).add(other.id)
    }
  for (const m of open) if (m.confidence < 0.6 && !paired.has(m.id)) out.push({ why: 'unsure', m })
  return out
}
const isHeld = (m: Memory) => m.state === 'quarantined' || m.state === 'candidate'
const multiple = /^(when|likes|visited|plan)/

export default function Review() {
  const of = useData(cases, [])
  return (
    <>
      <Head title={t('nav_review')} about={t('review_about', among)} />
      <Show of={of} rows={6}>
        {(list) =>
          list.length ? (
            <Queue list={list} />
          ) : (
            <Empty title={t('nothing_to_review')}>{t('nothing_to_review_about')}</Empty>
          )
        }
      </Show>
    </>
  )
}

function Queue({ list }: { list: Case[] }) {
  const [done, setDone] = useState<Map<number, string>>(new Map())
  const [at, setAt] = useState(0)
  const undo = useRef<{ i: number; act: () => Promise<unknown> }[]>([])
  const here = list[at]!
  const on = (i: number, what: string, act: () => Promise<unknown>) => {
    undo.current.push({ i, act })
    setDone((d) => new Map(d).set(i, what))
    const next = list.findIndex((_, k) => k > i && !done.has(k))
    setAt(next < 0 ? i : next)
  }
  const back = async () => {
    const last = undo.current.pop()
    if (!last) return
    try {
      await last.act()
      setDone((d) => {
        const n = new Map(d)
        n.delete(last.i)
        return n
      })
      setAt(last.i)
      say(t('undone'))
    } catch (err) {
      fail(err)
    }
  }
  const keep = async () => {
    const { m, why, other } = here,
      i = at
    if (done.has(i)) return
    try {
      if (isHeld(m)) {
        await json('POST', `/v1/memories/${m.id}/release`)
        on(i, t(why === 'candidate' ? 'kept' : 'released'), () =>
          json('DELETE', '/v1/memories/' + m.id, { query: { soft: true } }),
        )
      } else if (other) {
        const edge = { source: m.id, target: other.id, type: 'updates' }
        await json('POST', '/v1/edges', { body: edge })
        on(i, t('kept_first'), () => json('DELETE', '/v1/edges', { query: edge }))
      } else {
        await json('PATCH', '/v1/memories/' + m.id, { body: { confidence: 1 } })
        on(i, t('kept'), () => json('PATCH', '/v1/memories/' + m.id, { body: { confidence: m.confidence } }))
      }
    } catch (err) {
      fail(err)
    }
  }
  const other = async () => {
    const { m, other: o } = here,
      i = at
    if (!o || done.has(i)) return
    const edge = { source: o.id, target: m.id, type: 'updates' }
    try {
      await json('POST', '/v1/edges', { body: edge })
      on(i, t('kept_second'), () => json('DELETE', '/v1/edges', { query: edge }))
    } catch (err) {
      fail(err)
    }
  }
  const decline = async () => {
    const i = at,
      ids = here.other ? [here.m.id, here.other.id] : [here.m.id]
    if (done.has(i)) return
    try {
      for (const id of ids) await json('DELETE', '/v1/memories/' + id, { query: { soft: true } })
      on(i, t('declined'), async () => {
        for (const id of ids) await json('POST', `/v1/trash/${id}/restore`)
      })
    } catch (err) {
      fail(err)
    }
  }
  const skip = (by: number) => setAt(Math.max(0, Math.min(list.length - 1, at + by)))
  useKeys({
    a: () => void keep(),
    b: () => void other(),
    d: () => void decline(),
    z: () => void back(),
    'mod+z': () => void back(),
    j: () => skip(1),
    k: () => skip(-1),
    ArrowRight: () => skip(1),
    ArrowLeft: () => skip(-1),
  })
  useEffect(() => document.getElementById('case-' + at)?.scrollIntoView({ block: 'nearest' }), [at])
  const result = done.get(at)
  return (
    <div class="grid items-start gap-6 lg:grid-cols-[1fr_18rem]">
      <section class="card min-w-0 p-6" aria-live="polite">
        <p class="flex flex-wrap items-center gap-3 text-muted">
          <span class="badge text-warn">
            <Icon name={here.why === 'quarantined' ? 'quarantine' : 'review'} size={14} />
            {t(`why_${here.why}`)}
          </span>
          <span class="num ms-auto">{t('n_of_m', at + 1, list.length)}</span>
        </p>
        <p class="mt-2 text-muted">{t(`why_${here.why}_about`)}</p>
        <div class="mt-5 grid gap-4 sm:grid-cols-2">
          <Card m={here.m} sign={here.other ? 'A' : ''} wide={!here.other} />
          {here.other && <Card m={here.other} sign="B" />}
        </div>
        {result ? (
          <p class="mt-6 flex items-center gap-3 font-medium text-ok">
            <Icon name="check" />
            {result}
            <Button onClick={back}>{t('undo')}</Button>
          </p>
        ) : (
          mayWrite.value && (
            <div class="mt-6 flex flex-wrap gap-2">
              <Button main icon="check" onClick={keep}>
                {t(here.other ? 'keep_first' : here.why === 'quarantined' ? 'release' : 'keep')}
                <kbd>A</kbd>
              </Button>
              {here.other && (
                <Button icon="check" onClick={other}>
                  {t('keep_second')}
                  <kbd>B</kbd>
                </Button>
              )}
              <Button danger icon="trash" onClick={decline}>
                {t(here.other ? 'decline_both' : 'decline')}
                <kbd>D</kbd>
              </Button>
              <Button onClick={() => skip(1)}>
                {t('skip_it')}
                <kbd>J</kbd>
              </Button>
            </div>
          )
        )}
        <p class="mt-5 text-xs text-muted">{t('review_keys')}</p>
      </section>
      <ol class="card max-h-[70vh] overflow-y-auto p-2" aria-label={t('queue')} tabIndex={0}>
        {list.map((c, i) => (
          <li key={i} id={'case-' + i}>
            <button
              type="button"
              aria-current={i === at ? 'true' : undefined}
              class={`flex w-full items-start gap-2 rounded-md px-2 py-1.5 text-start ${i === at ? 'bg-tint' : 'hover:bg-sunken'}`}
              onClick={() => setAt(i)}
            >
              <Icon
                name={
                  done.has(i)
                    ? 'check'
                    : c.why === 'quarantined'
                      ? 'quarantine'
                      : c.why === 'unsure'
                        ? 'unknown'
                        : 'merge'
                }
                size={14}
                class={'mt-0.5 ' + (done.has(i) ? 'text-ok' : 'text-muted')}
              />
              <span class={`line-clamp-2 wrap-any ${done.has(i) ? 'text-muted line-through' : ''}`} dir="auto">
                {c.m.content}
              </span>
            </button>
          </li>
        ))}
      </ol>
    </div>
  )
}

function Card({ m, sign, wide }: { m: Memory; sign: string; wide?: boolean }) {
  return (
    <div class={`min-w-0 rounded-md border border-line p-4 ${wide ? 'sm:col-span-2' : ''}`}>
      <p class="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
        {sign && <kbd>{sign}</kbd>}
        <KindBadge kind={m.kind} />
        <Confidence value={m.confidence} />
        <Container path={m.container} />
        <Ago at={m.recorded_at} />
      </p>
      <p class="serif mt-2 text-lg wrap-any" dir="auto">
        {m.content}
      </p>
      {m.sources?.[0]?.quote && (
        <p class="mt-2 flex gap-1.5 text-muted wrap-any">
          <Icon name="quote" size={13} class="mt-1" />
          <span dir="auto">{m.sources[0].quote}</span>
        </p>
      )}
      <p class="mt-3">
        <a class="link" href={href({ peek: m.id })}>
          {t('more_about')}
        </a>
      </p>
    </div>
  )
}
