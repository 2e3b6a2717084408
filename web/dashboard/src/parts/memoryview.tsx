// One memory: what it says, where that was said, which versions there were, what it hangs on.
import { useEffect, useState } from 'preact/hooks'
import { chain, correct, forget, patchMemories } from '../lib/acts'
import { type Delta, type Document, get, json, type Memory, type RelatedMemory } from '../lib/api'
import { useData } from '../lib/data'
import { ago, date, moment } from '../lib/format'
import { useKeys } from '../lib/keys'
import { mayWrite } from '../lib/me'
import { opened } from '../lib/recent'
import { go, href } from '../lib/router'
import { t, type Word } from '../lib/strings'
import {
  Ago,
  Button,
  Command,
  Confidence,
  Container,
  CopyButton,
  Dialog,
  Facts,
  fail,
  Icon,
  KindBadge,
  kinds,
  Marked,
  say,
  Show,
  Tabs,
} from './ui'

export function StateBadges({ m }: { m: Memory }) {
  const soon = m.forget_after && Date.parse(m.forget_after) - Date.now() < 30 * 86400e3
  const out: [boolean, string, 'history' | 'archive' | 'quarantine' | 'review' | 'episode', Word][] = [
    [!m.is_latest && m.state !== 'candidate', 'text-muted', 'history', 'state_superseded'],
    [m.state === 'archived', 'text-muted', 'archive', 'state_archived'],
    [m.state === 'quarantined', 'text-danger', 'quarantine', 'state_quarantined'],
    [m.state === 'candidate', 'text-warn', 'review', 'state_candidate'],
    [!!soon, 'text-warn', 'episode', 'state_expiring'],
  ]
  return (
    <>
      {out
        .filter(([on]) => on)
        .map(([, tone, icon, word]) => (
          <span key={word} class={'badge ' + tone}>
            <Icon name={icon} size={14} />
            {t(word)}
          </span>
        ))}
    </>
  )
}

/** MemoryView is the whole of a memory; narrow leaves room for a list beside it. */
export function MemoryView({ id, narrow, moved }: { id: string; narrow?: boolean; moved: (id: string) => void }) {
  const of = useData((s) => get('/v1/memories/{id}', {}, s, { id }), [id], ['memory'])
  return (
    <Show of={of} rows={7}>
      {(m) => <Whole m={m} narrow={narrow} moved={moved} reload={of.reload} />}
    </Show>
  )
}

function Whole({
  m,
  narrow,
  moved,
  reload,
}: {
  m: Memory
  narrow?: boolean
  moved: (id: string) => void
  reload: () => void
}) {
  const [editing, setEditing] = useState(false)
  const [tab, setTab] = useState('versions')
  useEffect(() => opened({ to: '/memories/' + m.id, label: m.content, icon: 'memory' }), [m.id])
  const versions = useData((s) => chain(m, s), [m.id, m.updated_at])
  const near = useData((s) => get('/v1/memories/{id}/related', { depth: 1 }, s, { id: m.id }), [m.id, m.updated_at])
  const forgetIt = () => forget('memories', [m.id], m.content).catch(fail)
  const archive = () =>
    patchMemories(
      [m],
      () => ({ state: m.state === 'archived' ? 'active' : 'archived' }),
      t(m.state === 'archived' ? 'unarchived' : 'archived_done'),
    ).then(reload, fail)
  const release = () =>
    json('POST', `/v1/memories/${m.id}/release`).then(() => {
      say(t('released'))
      reload()
    }, fail)
  const write = mayWrite.value
  useKeys(write ? { e: () => setEditing(true), ...(narrow ? {} : { '#': () => void forgetIt() }) } : {})
  const others = (near.data?.items ?? []).filter((r) => r.relationship !== 'updates')
  const Title = narrow ? 'h2' : 'h1'
  return (
    <article class="space-y-6">
      <header>
        <div class="flex flex-wrap items-center gap-x-3 gap-y-1">
          <KindBadge kind={m.kind} />
          <StateBadges m={m} />
          <Container path={m.container} />
          <Confidence value={m.confidence} />
        </div>
        <Title class={`mt-3 font-serif wrap-any ${narrow ? 'text-xl' : 'text-2xl leading-snug'}`} dir="auto">
          {m.content}
        </Title>
        {!m.is_latest && m.retired_by && (
          <p class="mt-3 flex gap-2 rounded-md bg-sunken px-3 py-2">
            <Icon name="history" class="mt-0.5 text-muted" />
            <span class="wrap-any">
              {t('replaced', date(m.retired_at))}
              {m.reason && <>: {m.reason}</>}.{' '}
              <a class="link" href={narrow ? href({ peek: m.retired_by }) : href('/memories/' + m.retired_by)}>
                {t('show_newer')}
              </a>
            </span>
          </p>
        )}
        {write && (
          <div class="mt-4 flex flex-wrap gap-2">
            <Button icon="edit" onClick={() => setEditing(true)}>
              {t('edit')}
            </Button>
            {m.state === 'quarantined' || m.state === 'candidate' ? (
              <Button icon="check" onClick={release}>
                {t(m.state === 'candidate' ? 'keep' : 'release')}
              </Button>
            ) : (
              <Button
                icon={m.state === 'archived' ? 'restore' : 'archive'}
                title={t('archive_about')}
                onClick={archive}
              >
                {t(m.state === 'archived' ? 'unarchive' : 'archive')}
              </Button>
            )}
            <Button icon="trash" danger onClick={forgetIt}>
              {t('forget')}
            </Button>
            {narrow && (
              <a class="btn" href={href('/memories/' + m.id)}>
                {t('open_page')}
              </a>
            )}
          </div>
        )}
      </header>
      <section aria-label={t('why_believed')}>
        <h3 class="mb-2 font-semibold">{t('why_believed')}</h3>
        <Sources m={m} />
      </section>
      <section aria-label={t('details')}>
        <h3 class="sr-only">{t('details')}</h3>
        <Facts
          rows={[
            [
              t('about_whom'),
              [m.subject, m.slot && <code class="mono">{m.slot}</code>, m.value].filter(Boolean).map((x, i) => (
                <>
                  {i > 0 && ' · '}
                  {x}
                </>
              )),
            ].map((x, i) => (i === 1 && !(m.subject || m.slot || m.value) ? '' : x)) as [
              string,
              preact.ComponentChildren,
            ],
            [
              t('valid'),
              m.valid_from || m.valid_to ? t('from_to', date(m.valid_from) || '…', date(m.valid_to) || '…') : '',
            ],
            [t('happened'), m.occurred_at && date(m.occurred_at)],
            [t('recorded'), moment(m.recorded_at)],
            [t('retired'), m.retired_at && moment(m.retired_at)],
            [t('forget_on'), m.forget_after && moment(m.forget_after)],
            [
              t('comes_from'),
              <>
                {t(('origin_' + (m.origin || 'user')) as Word)}
                {m.extractor && <> · {m.extractor}</>}
              </>,
            ],
            [
              t('names'),
              (m.entities ?? []).length > 0 && (
                <span class="flex flex-wrap gap-1.5">
                  {m.entities.map((e) => (
                    <a key={e} class="chip" href={href('/people?q=' + encodeURIComponent(e))}>
                      {e}
                    </a>
                  ))}
                </span>
              ),
            ],
            [
              t('tags'),
              (m.tags ?? []).length > 0 && (
                <span class="flex flex-wrap gap-1.5">
                  {m.tags.map((x) => (
                    <a key={x} class="chip max-w-full" href={href('/memories?tag=' + encodeURIComponent(x))}>
                      <span class="truncate">#{x}</span>
                    </a>
                  ))}
                </span>
              ),
            ],
          ]}
        />
      </section>
      <section>
        <Tabs
          label={t('more_about')}
          at={tab}
          pick={setTab}
          tabs={[
            { id: 'versions', label: t('versions'), count: versions.data?.length },
            { id: 'edges', label: t('edges'), count: others.length },
            { id: 'history', label: t('history') },
            { id: 'json', label: 'JSON' },
          ]}
        />
        {tab === 'versions' && (
          <Show of={versions} rows={3}>
            {(list) => <Versions list={list} now={m} narrow={narrow} moved={moved} />}
          </Show>
        )}
        {tab === 'edges' &&
          (others.length ? <Edges list={others} narrow={narrow} /> : <p class="text-muted">{t('no_edges')}</p>)}
        {tab === 'history' && <HistoryOf id={m.id} reload={reload} />}
        {tab === 'json' && <Command text={JSON.stringify(m, null, 2)} />}
        <p class="mt-4 flex items-center gap-1 text-muted">
          <span class="mono wrap-any">{m.id}</span>
          <CopyButton text={m.id} label={t('copy_id')} />
        </p>
      </section>
      {editing && <Editor m={m} close={() => setEditing(false)} done={moved} />}
    </article>
  )
}

/** Sources shows each source sentence where it stands. */
function Sources({ m }: { m: Memory }) {
  const list = m.sources ?? []
  if (!list.length) return <p class="text-muted">{t(m.origin === 'user' ? 'said_directly' : 'no_source')}</p>
  return (
    <ul class="space-y-3">
      {list.map((s, i) => (
        <li key={i}>
          {s.message_id ? (
            <FromMessage id={s.message_id} quote={s.quote} container={m.container} />
          ) : (
            <FromDocument id={s.document_id} quote={s.quote} start={s.start} />
          )}
        </li>
      ))}
    </ul>
  )
}

function FromMessage({ id, quote, container }: { id: string; quote: string; container: string }) {
  const of = useData((s) => get('/v1/messages/{id}/context', { before: 1, after: 1 }, s, { id }), [id])
  return (
    <Show of={of} rows={2}>
      {(ctx) => (
        <figure class="card overflow-hidden">
          <div class="divide-y divide-line">
            {[...(ctx.before ?? []), ctx.message, ...(ctx.after ?? [])].map((x) => (
              <div key={x.id} class={'flex gap-3 px-3 py-2 ' + (x.id === id ? '' : 'text-muted')}>
                <span class="w-20 shrink-0 truncate text-xs leading-6 font-medium" dir="auto">
                  {x.speaker || x.role}
                </span>
                <p class="serif min-w-0 wrap-any" dir="auto">
                  {x.id === id ? <Quoted text={x.content} quote={quote} /> : x.content}
                </p>
              </div>
            ))}
          </div>
          <figcaption class="flex flex-wrap items-center gap-x-3 border-t border-line bg-sunken px-3 py-1.5 text-xs text-muted">
            <Icon name="talk" size={13} />
            <a
              class="link wrap-any"
              href={href(
                `/conversations/${encodeURIComponent(ctx.message.conversation_id)}?container=${encodeURIComponent(container)}&at=${id}`,
              )}
            >
              {t('open_conversation')}
            </a>
            <Ago at={ctx.message.time} />
          </figcaption>
        </figure>
      )}
    </Show>
  )
}

function FromDocument({ id, quote, start }: { id: string; quote: string; start: number }) {
  const of = useData((s) => get('/v1/documents/{id}', {}, s, { id }), [id])
  return (
    <Show of={of} rows={2}>
      {(d) => (
        <figure class="card overflow-hidden">
          <blockquote class="serif px-3 py-2 wrap-any" dir="auto">
            <Around text={(d as unknown as Document).content ?? ''} quote={quote} />
          </blockquote>
          <figcaption class="flex flex-wrap items-center gap-x-3 border-t border-line bg-sunken px-3 py-1.5 text-xs text-muted">
            <Icon name="document" size={13} />
            <a class="link wrap-any" dir="auto" href={href(`/documents/${id}?at=${start}`)}>
              {d.title || id}
            </a>
            {d.version > 1 && <span>v{d.version}</span>}
            <Ago at={d.occurred_at || d.created_at} />
          </figcaption>
        </figure>
      )}
    </Show>
  )
}

function Quoted({ text, quote }: { text: string; quote: string }) {
  const i = quote ? text.indexOf(quote) : -1
  return i < 0 ? (
    <>{text}</>
  ) : (
    <>
      {text.slice(0, i)}
      <mark>{quote}</mark>
      {text.slice(i + quote.length)}
    </>
  )
}
/** Around shows a quote with the words before and after it. */
function Around({ text, quote }: { text: string; quote: string }) {
  const i = text.indexOf(quote)
  if (i < 0) return <mark>{quote}</mark>
  const from = i < 160 ? 0 : text.lastIndexOf(' ', i - 140) + 1
  const end = i + quote.length + 160 > text.length ? text.length : text.indexOf(' ', i + quote.length + 140)
  const to = end < 0 ? text.length : end
  return (
    <>
      {from > 0 && '… '}
      {text.slice(from, i)}
      <mark>{quote}</mark>
      {text.slice(i + quote.length, to)}
      {to < text.length && ' …'}
    </>
  )
}

/** WordDiff shows what changed between two texts, by words. */
export function WordDiff({ from, to }: { from: string; to: string }) {
  const [parts, setParts] = useState<{ value: string; added?: boolean; removed?: boolean }[]>()
  useEffect(() => {
    let gone = false
    import('diff').then(({ diffWordsWithSpace }) => {
      if (!gone) setParts(diffWordsWithSpace(from, to))
    })
    return () => {
      gone = true
    }
  }, [from, to])
  if (!parts) return <>{to}</>
  return (
    <>
      {parts.map((p, i) =>
        p.added ? (
          <ins key={i} class="diff">
            {p.value}
          </ins>
        ) : p.removed ? (
          <del key={i} class="diff">
            {p.value}
          </del>
        ) : (
          p.value
        ),
      )}
    </>
  )
}

function Versions({
  list,
  now,
  narrow,
  moved,
}: {
  list: Memory[]
  now: Memory
  narrow?: boolean
  moved: (id: string) => void
}) {
  const top = list[0]!
  const restore = (v: Memory) =>
    correct(top, v.content, { kind: v.kind, tags: v.tags, reason: t('reason_restored') }).then((m) => {
      say(t('restored'))
      moved(m.id)
    }, fail)
  if (list.length === 1) return <p class="text-muted">{t('one_version')}</p>
  return (
    <ol class="relative space-y-4 border-s border-line ps-5" data-testid="chain">
      {list.map((v, i) => {
        const older = list[i + 1]
        return (
          <li key={v.id} class="relative">
            <span
              class={`absolute -start-[25.5px] top-1.5 size-2.5 rounded-full border-2 border-surface ${v.is_latest ? 'bg-accent' : 'bg-control'}`}
            />
            <div class="flex flex-wrap items-center gap-x-3 text-xs text-muted">
              <span class="font-medium text-text">v{list.length - i}</span>
              <time dateTime={v.recorded_at}>{moment(v.recorded_at)}</time>
              {v.id === now.id ? (
                <span>{t('this_one')}</span>
              ) : (
                <a class="link" href={narrow ? href({ peek: v.id }) : href('/memories/' + v.id)}>
                  {t('show')}
                </a>
              )}
              {!v.is_latest && mayWrite.value && (
                <button type="button" class="link min-h-6" onClick={() => restore(v)}>
                  {t('restore_version')}
                </button>
              )}
            </div>
            <p class="serif mt-0.5 wrap-any" dir="auto" data-version={list.length - i}>
              {older ? <WordDiff from={older.content} to={v.content} /> : v.content}
            </p>
            {older?.reason && <p class="mt-0.5 text-muted wrap-any">{t('because', older.reason)}</p>}
          </li>
        )
      })}
    </ol>
  )
}

function Edges({ list, narrow }: { list: RelatedMemory[]; narrow?: boolean }) {
  return (
    <ul class="divide-y divide-line">
      {list.map((r) => (
        <li key={r.id + r.relationship} class="py-2">
          <p class="label">{t(('edge_' + r.relationship) as Word)}</p>
          <a
            class="serif hover:underline wrap-any"
            dir="auto"
            href={narrow ? href({ peek: r.id }) : href('/memories/' + r.id)}
          >
            {r.content}
          </a>
        </li>
      ))}
    </ul>
  )
}

const opWords: Record<string, Word> = {
  create: 'op_create',
  update: 'op_update',
  delete: 'op_delete',
  restore: 'op_restore',
  purge: 'op_purge',
}
/** HistoryOf lists what happened to a record; each change can be taken back. */
export function HistoryOf({ id, reload }: { id: string; reload: () => void }) {
  const of = useData((s) => get('/v1/records/{id}/history', { limit: 50 }, s, { id }), [id], ['memory', 'document'])
  const undo = (d: Delta) =>
    json('POST', `/v1/deltas/${d.id}/undo`).then(() => {
      say(t('undone'))
      reload()
      of.reload()
    }, fail)
  return (
    <Show of={of} rows={2}>
      {(l) => (
        <ol class="divide-y divide-line">
          {(l.items ?? []).map((d, i) => (
            <li key={d.id} class="flex flex-wrap items-baseline gap-x-3 gap-y-1 py-2">
              <span class="font-medium">{opWords[d.op] ? t(opWords[d.op]!) : d.op}</span>
              <span class="text-muted wrap-any">{changed(d as unknown as Delta)}</span>
              {d.reason && <span class="wrap-any">{d.reason}</span>}
              <time class="ms-auto text-xs text-muted" dateTime={d.at} title={moment(d.at)}>
                {ago(d.at)}
              </time>
              {i === 0 && d.op === 'update' && mayWrite.value && (
                <button type="button" class="link min-h-6" onClick={() => undo(d as unknown as Delta)}>
                  {t('undo')}
                </button>
              )}
            </li>
          ))}
        </ol>
      )}
    </Show>
  )
}
function changed(d: Delta) {
  const before = (d.before ?? {}) as Record<string, unknown>,
    after = (d.after ?? {}) as Record<string, unknown>
  if (d.op !== 'update') return ''
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((k) => k !== 'updated_at' && JSON.stringify(before[k]) !== JSON.stringify(after[k]))
    .join(', ')
    .replaceAll('_', ' ')
}

export function Editor({ m, close, done }: { m?: Memory; close: () => void; done: (id: string) => void }) {
  const [content, setContent] = useState(m?.content ?? '')
  const [kind, setKind] = useState(m?.kind ?? 'fact')
  const [tags, setTags] = useState((m?.tags ?? []).join(', '))
  const [container, setContainer] = useState(m?.container ?? '')
  const [reason, setReason] = useState('')
  const [busy, setBusy] = useState(false)
  const list = () =>
    tags
      .split(',')
      .map((x) => x.trim())
      .filter(Boolean)
  const same = m && content.trim() === m.content && kind === m.kind
  const save = async (e: Event) => {
    e.preventDefault()
    setBusy(true)
    try {
      const got = m
        ? same
          ? await json<Memory>('PATCH', '/v1/memories/' + m.id, { body: { tags: list() } })
          : await correct(m, content.trim(), { kind, tags: list(), reason: reason.trim() })
        : await json<Memory>('POST', '/v1/memories', {
            body: { content: content.trim(), kind, tags: list(), container: container.trim() || undefined },
          })
      close()
      say(t(m ? (same ? 'saved' : 'saved_version') : 'remembered'))
      done(got.id)
    } catch (err) {
      fail(err)
      setBusy(false)
    }
  }
  return (
    <Dialog title={t(m ? 'edit_memory' : 'new_memory')} close={close}>
      <form onSubmit={save} class="space-y-4">
        <label class="block">
          <span class="label">{t('text')}</span>
          <textarea
            class="field serif mt-1"
            rows={4}
            dir="auto"
            value={content}
            onInput={(e) => setContent(e.currentTarget.value)}
            autofocus
            required
          />
        </label>
        {m && !same && content.trim() && (
          <div>
            <p class="label">{t('what_changes')}</p>
            <p class="serif mt-1 wrap-any" dir="auto">
              <WordDiff from={m.content} to={content.trim()} />
            </p>
          </div>
        )}
        <div class="grid gap-4 sm:grid-cols-2">
          <label class="block">
            <span class="label">{t('kind')}</span>
            <select class="field mt-1" value={kind} onChange={(e) => setKind(e.currentTarget.value)}>
              {kinds.map((k) => (
                <option key={k} value={k}>
                  {t(('kind_' + k) as Word)}
                </option>
              ))}
            </select>
          </label>
          <label class="block">
            <span class="label">{t('tags_commas')}</span>
            <input class="field mt-1" value={tags} onInput={(e) => setTags(e.currentTarget.value)} />
          </label>
        </div>
        {m ? (
          !same && (
            <label class="block">
              <span class="label">{t('reason_optional')}</span>
              <input class="field mt-1" value={reason} onInput={(e) => setReason(e.currentTarget.value)} />
            </label>
          )
        ) : (
          <label class="block">
            <span class="label">{t('container')}</span>
            <input
              class="field mt-1"
              placeholder="work.acme"
              value={container}
              onInput={(e) => setContainer(e.currentTarget.value)}
            />
          </label>
        )}
        {m && <p class="text-muted">{t('edit_about')}</p>}
        <div class="flex justify-end gap-2">
          <Button onClick={close}>{t('cancel')}</Button>
          <Button main type="submit" disabled={busy || !content.trim()}>
            {t('save')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

export const openMemory = (id: string) => go('/memories/' + id)
export { Marked }
