import { useEffect, useRef, useState } from 'preact/hooks'
import { address, away, Fault, json, type Found, type Hit } from '../lib/api'
import { body, filterNames, parse, type Part, without, withPart } from '../lib/ask'
import { stored, useDebounced } from '../lib/data'
import { date, number, percent } from '../lib/format'
import { useKeys } from '../lib/keys'
import { go, href, query, set } from '../lib/router'
import { t, type Word } from '../lib/strings'
import { hitIcon, hitTo, ScoreBar, ScoreParts } from '../parts/hits'
import { useContainers } from '../parts/pick'
import {
  Button,
  Command,
  Container,
  CopyButton,
  Empty,
  Head,
  Icon,
  KindBadge,
  kinds,
  Marked,
  Trouble,
  Waiting,
} from '../parts/ui'

const modes = ['', 'vector', 'text', 'weighted', 'cascade', 'rrf']

export default function Search() {
  const q = query.value.get('q') ?? '',
    mode = query.value.get('mode') ?? '',
    peek = query.value.get('peek')
  const [text, setText] = useState(q)
  const [limit, setLimit] = useState(20)
  const [got, setGot] = useState<{ found?: Found; error?: Fault; loading: boolean; of: string }>({
    loading: false,
    of: '',
  })
  const [cursor, setCursor] = useState(-1)
  const box = useRef<HTMLInputElement>(null)
  const settled = useDebounced(text, 120)
  useEffect(() => {
    if (q !== text.trim()) setText(q)
  }, [q]) // Back and links
  useEffect(() => {
    if (settled.trim() !== q) {
      set({ q: settled.trim(), peek: null })
      setLimit(20)
    }
  }, [settled])
  useEffect(() => {
    if (!q) box.current?.focus()
  }, [])
  const asked = parse(q)
  const ask = body(asked, mode, limit)
  const mark = JSON.stringify(ask)
  useEffect(() => {
    setCursor(-1)
    if (!asked.words) {
      setGot({ loading: false, of: '' })
      return
    }
    const stop = new AbortController()
    setGot((g) => ({ ...g, loading: true, error: undefined }))
    json<Found>('POST', '/v1/search', { body: ask, signal: stop.signal }).then(
      (found) => {
        if (!stop.signal.aborted) {
          setGot({ found, loading: false, of: mark })
          if (found.results?.length) remember(q)
        }
      },
      (error) => {
        if (!stop.signal.aborted)
          setGot({ error: error instanceof Fault ? error : new Fault(String(error)), loading: false, of: mark })
      },
    )
    return () => stop.abort()
  }, [mark])
  const hits = got.found?.results ?? []
  const step = (by: number) => {
    const i = Math.max(0, Math.min(hits.length - 1, cursor + by))
    setCursor(i)
    document.getElementById('hit-' + i)?.scrollIntoView({ block: 'nearest' })
    const h = hits[i]
    if (peek && h && h.type.includes('memory')) set({ peek: h.id })
  }
  const open = (h: Hit | undefined, whole = false) =>
    h && (h.type.includes('memory') && !whole ? set({ peek: h.id }, true) : go(hitTo(h, true)))
  useKeys({ j: () => step(1), k: () => step(-1), Enter: () => open(hits[cursor]), o: () => open(hits[cursor], true) })
  const words = asked.words.split(/[^\p{L}\p{N}]+/u)
  return (
    <>
      <Head title={t('nav_search')} />
      <form
        role="search"
        onSubmit={(e) => {
          e.preventDefault()
          set({ q: text.trim() }, true)
          box.current?.blur()
          setCursor(0)
        }}
      >
        <div class="flex items-center gap-2 rounded-lg border border-control bg-surface px-3 focus-within:border-accent focus-within:outline-2 focus-within:outline-accent">
          <Icon name="search" size={18} class="text-muted" />
          <input
            id="ask"
            ref={box}
            type="search"
            class="min-h-12 w-full bg-transparent text-lg !outline-none"
            aria-label={t('search_label')}
            placeholder={t('search_hint')}
            value={text}
            onInput={(e) => setText(e.currentTarget.value)}
            autocomplete="off"
            spellcheck={false}
            dir="auto"
            list="searches"
          />
          <datalist id="searches">
            {stored.get<string[]>('searches', []).map((s) => (
              <option key={s} value={s} />
            ))}
          </datalist>
        </div>
      </form>
      <div class="mt-3 flex flex-wrap items-center gap-2">
        <label class="flex items-center gap-2">
          <span class="text-muted">{t('mode')}</span>
          <select class="field !w-auto" value={mode} onChange={(e) => set({ mode: e.currentTarget.value }, true)}>
            {modes.map((m) => (
              <option key={m} value={m}>
                {t(('mode_' + (m || 'lukasa')) as Word)}
              </option>
            ))}
          </select>
        </label>
        <AddFilter add={(name, value) => setText(withPart(text, name, value))} />
        {asked.parts.map((p) => (
          <Chip key={p.text} part={p} drop={() => setText(without(text, p))} />
        ))}
      </div>
      {got.error && <Trouble error={got.error} />}
      {!asked.words ? (
        <Start pick={setText} filters={asked.parts.length > 0} />
      ) : !got.found ? (
        got.loading && !away.value ? (
          <div class="mt-6">
            <Waiting rows={8} />
          </div>
        ) : null
      ) : (
        <>
          <p class="mt-5 mb-2 flex flex-wrap items-center gap-x-3 gap-y-1 text-muted" role="status">
            <span class="num">{t('found', got.found.total, number(got.found.stats?.took_ms, 1))}</span>
            {got.found.stats?.degraded && (
              <span class="text-warn">
                {t('degraded')}: {got.found.stats.degraded}
              </span>
            )}
            <span class="ms-auto">
              <CopyButton
                label={t('copy_call')}
                text={`curl ${location.origin}${address('/v1/search')} -H "Authorization: Bearer $LUKASA_API_KEY" -H 'Content-Type: application/json' -d '${JSON.stringify(ask).replaceAll("'", "'\\''")}'`}
              />
            </span>
          </p>
          {hits.length === 0 ? (
            <Empty title={got.found.message || t('nothing_found')}>{got.found.suggestion}</Empty>
          ) : (
            <ol class={'card divide-y divide-line ' + (got.loading ? 'opacity-60' : '')}>
              {hits.map((h, i) => (
                <HitRow
                  key={h.id}
                  i={i}
                  h={h}
                  words={words}
                  on={i === cursor || h.id === peek}
                  open={(whole) => {
                    setCursor(i)
                    open(h, whole)
                  }}
                />
              ))}
            </ol>
          )}
          {hits.length > 0 && hits.length < got.found.total && limit < 200 && (
            <div class="mt-4 text-center">
              <Button onClick={() => setLimit(Math.min(200, limit + 30))}>{t('more')}</Button>
            </div>
          )}
          <WhyNot ask={ask} />
        </>
      )}
    </>
  )
}

const remember = (q: string) =>
  stored.set(
    'searches',
    [q, ...stored.get<string[]>('searches', []).filter((s) => s !== q && !q.startsWith(s))].slice(0, 15),
  )

function HitRow({
  h,
  i,
  words,
  on,
  open,
}: {
  h: Hit
  i: number
  words: string[]
  on: boolean
  open: (whole?: boolean) => void
}) {
  const [why, setWhy] = useState(false)
  const memory = h.type.includes('memory')
  const to = memory ? href({ peek: h.id }) : href(hitTo(h, true))
  const title = memory
    ? ''
    : h.message
      ? [h.message.speaker, h.message.conversation_title || h.message.conversation].filter(Boolean).join(' · ')
      : h.document?.title
  return (
    <li id={'hit-' + i} class={`px-4 py-3 ${on ? 'row-on' : ''}`}>
      <div class="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
        {memory && h.memory?.kind ? (
          <KindBadge kind={h.memory.kind} />
        ) : (
          <span class="badge">
            <Icon name={hitIcon(h)} size={14} />
            {t(('type_' + h.type) as Word)}
          </span>
        )}
        {title && (
          <span class="min-w-0 truncate font-medium text-text" dir="auto">
            {title}
          </span>
        )}
        <Container path={h.container} />
        <span>{date(h.occurred_at || h.created_at)}</span>
        <span class="ms-auto flex items-center gap-2">
          <ScoreBar hit={h} />
          <span class="mono w-9 text-end text-text" title={t('score')}>
            {number(h.score, 2)}
          </span>
          <button
            type="button"
            class="grid size-6 place-items-center rounded hover:bg-sunken"
            aria-expanded={why}
            aria-label={t('why_found')}
            title={t('why_found')}
            onClick={() => setWhy(!why)}
          >
            <Icon name={why ? 'down' : 'right'} size={14} />
          </button>
        </span>
      </div>
      <a
        class="serif mt-1 line-clamp-4 wrap-any hover:underline decoration-line underline-offset-4"
        dir="auto"
        href={to}
        onClick={(e) => {
          if (e.metaKey || e.ctrlKey || e.shiftKey) return
          e.preventDefault()
          e.stopPropagation()
          open()
        }}
      >
        <Marked text={h.content.length > 900 ? h.content.slice(0, 900) + '…' : h.content} words={words} />
      </a>
      {(h.superseded ?? []).map((s) => (
        <p key={s.id} class="mt-1 flex gap-1.5 text-xs text-muted wrap-any">
          <Icon name="history" size={13} class="mt-0.5" />
          <span>
            {t('holds_no_more')}{' '}
            <a class="link" href={href({ peek: s.id })}>
              {s.content}
            </a>
            {s.by?.content && (
              <>
                {' '}
                {t('now_holds')}{' '}
                <a class="link" href={href({ peek: s.by.id })}>
                  {s.by.content}
                </a>
              </>
            )}
          </span>
        </p>
      ))}
      {(h.memories ?? []).length > 0 && (
        <ul class="mt-2 space-y-1 border-s-2 border-line ps-3">
          {h.memories.slice(0, 4).map((m) => (
            <li key={m.id} class="flex items-baseline gap-2 text-sm">
              <KindBadge kind={m.kind} />
              <a class="hover:underline wrap-any" dir="auto" href={href({ peek: m.id })}>
                {m.content}
              </a>
            </li>
          ))}
        </ul>
      )}
      {why && (
        <div class="mt-3 rounded-md bg-sunken p-3">
          <ScoreParts hit={h} />
          <p class="mt-2 text-xs text-muted">
            {t('score')} <span class="mono">{number(h.score, 4)}</span> · {t('relevance')} {percent(h.relevance)} ·{' '}
            {t('similarity')} <span class="mono">{number(h.similarity, 3)}</span> ·{' '}
            <span class="mono wrap-any">{h.id}</span>
          </p>
        </div>
      )}
    </li>
  )
}

function Chip({ part, drop }: { part: Part; drop: () => void }) {
  return (
    <button type="button" class="chip" aria-pressed="true" title={t('remove_filter')} onClick={drop}>
      {part.not && <b>{t('not')}</b>}
      <span class="truncate">
        {t(('ask_' + part.name) as Word)} {part.value}
      </span>
      <Icon name="close" size={12} />
    </button>
  )
}

function AddFilter({ add }: { add: (name: string, value: string) => void }) {
  const list = useContainers()
  const choices: Record<string, string[]> = {
    in: list,
    kind: kinds,
    type: ['memory', 'message', 'chunk', 'document'],
    after: ['7d', '30d', '1y'],
  }
  const [name, setName] = useState('')
  const [value, setValue] = useState('')
  const put = (v: string) => {
    if (v.trim()) add(name, v.trim())
    setName('')
    setValue('')
  }
  if (!name)
    return (
      <select
        class="field !w-auto"
        aria-label={t('add_filter')}
        value=""
        onChange={(e) => setName(e.currentTarget.value)}
      >
        <option value="">{t('add_filter')}</option>
        {filterNames.map((n) => (
          <option key={n} value={n}>
            {t(('ask_' + n) as Word)}
          </option>
        ))}
      </select>
    )
  return (
    <span class="flex items-center gap-1">
      {name === 'before' || name === 'as_of' || name === 'after' ? (
        <input
          class="field !w-auto"
          type="date"
          aria-label={t(('ask_' + name) as Word)}
          value={value}
          onInput={(e) => put(e.currentTarget.value)}
          autofocus
        />
      ) : choices[name] ? (
        <select
          class="field !w-auto"
          aria-label={t(('ask_' + name) as Word)}
          value=""
          onChange={(e) => put(e.currentTarget.value)}
          autofocus
        >
          <option value="">{t(('ask_' + name) as Word)} …</option>
          {choices[name]!.map((v) => (
            <option key={v} value={v}>
              {v}
            </option>
          ))}
        </select>
      ) : (
        <input
          class="field !w-36"
          aria-label={t(('ask_' + name) as Word)}
          placeholder={t(('ask_' + name) as Word)}
          value={value}
          onInput={(e) => setValue(e.currentTarget.value)}
          onKeyDown={(e) => {
            if (e.key === 'Enter') {
              e.preventDefault()
              put(value)
            }
          }}
          autofocus
        />
      )}
      <Button
        bare
        icon="close"
        aria-label={t('cancel')}
        onClick={() => {
          setName('')
          setValue('')
        }}
      />
    </span>
  )
}

function Start({ pick, filters }: { pick: (q: string) => void; filters: boolean }) {
  const last = stored.get<string[]>('searches', []).slice(0, 6)
  return (
    <div class="mt-8 max-w-2xl">
      {filters && <p class="mb-4 text-muted">{t('search_words_too')}</p>}
      {last.length > 0 && (
        <>
          <h2 class="mb-2 font-semibold">{t('last_searches')}</h2>
          <ul class="mb-6 flex flex-wrap gap-2">
            {last.map((s) => (
              <li key={s}>
                <button type="button" class="chip" onClick={() => pick(s)}>
                  <span class="truncate">{s}</span>
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      <h2 class="mb-2 font-semibold">{t('search_how')}</h2>
      <p class="text-muted">{t('search_about')}</p>
      <div class="mt-4">
        <Command text={`lukasa search "where does Ana live" --explain`} />
      </div>
    </div>
  )
}

/** WhyNot names the stage of the search that dropped a record that was expected. */
function WhyNot({ ask }: { ask: Record<string, unknown> }) {
  const [id, setId] = useState('')
  const [said, setSaid] = useState<string>()
  const [error, setError] = useState<Fault>()
  const mark = JSON.stringify(ask)
  useEffect(() => setSaid(undefined), [mark])
  const find = async (e: Event) => {
    e.preventDefault()
    setError(undefined)
    try {
      const expect = /[a-z]+_[0-9a-z]{20,}/.exec(id)?.[0] ?? id.trim()
      const found = await json<Found>('POST', '/v1/search', { body: { ...ask, expect } })
      const at = (found.results ?? []).findIndex(
        (h) => h.id === expect || h.document?.id === expect || h.message?.record_id === expect,
      )
      setSaid(at >= 0 ? t('it_is_there', at + 1) : found.stats?.why_not || t('it_is_further_down'))
    } catch (err) {
      setError(err as Fault)
    }
  }
  return (
    <details class="card mt-6 p-4">
      <summary class="font-medium">{t('why_not')}</summary>
      <p class="mt-2 text-muted">{t('why_not_about')}</p>
      <form class="mt-3 flex flex-wrap gap-2" onSubmit={find}>
        <input
          class="field mono !w-80 max-w-full"
          aria-label={t('id_or_address')}
          placeholder="mem_… / doc_… / msg_…"
          value={id}
          onInput={(e) => setId(e.currentTarget.value)}
        />
        <Button type="submit" disabled={!id.trim()}>
          {t('find_out')}
        </Button>
      </form>
      {said && (
        <p role="status" class="mt-3 flex gap-2 wrap-any">
          <Icon name="eye" class="mt-0.5 text-accent" />
          {said}
        </p>
      )}
      <Trouble error={error} />
    </details>
  )
}
