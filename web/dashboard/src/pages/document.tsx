import { useEffect, useMemo, useState } from 'preact/hooks'
import type { ComponentType } from 'preact'
import { forget } from '../lib/acts'
import { type Document, get, json, type Memory, request } from '../lib/api'
import { useData } from '../lib/data'
import { bytes, date, moment, number } from '../lib/format'
import { mayWrite } from '../lib/me'
import { opened } from '../lib/recent'
import { go, href, query, set } from '../lib/router'
import { t } from '../lib/strings'
import { HistoryOf, WordDiff } from '../parts/memoryview'
import {
  Ago,
  Button,
  Command,
  Container,
  CopyButton,
  Dialog,
  Empty,
  Facts,
  fail,
  Icon,
  KindBadge,
  say,
  Show,
  Tabs,
  Waiting,
} from '../parts/ui'
import { kindIcon, Status } from './documents'

export default function DocumentPage({ id }: { id: string }) {
  const of = useData(
    (s) => get('/v1/documents/{id}', {}, s, { id: id! }) as never as Promise<Document>,
    [id],
    ['document'],
  )
  return (
    <div class="mx-auto max-w-4xl">
      <a class="mb-5 inline-flex items-center gap-1.5 text-muted hover:text-text" href={href('/documents')}>
        <Icon name="back" />
        {t('nav_documents')}
      </a>
      <Show of={of} rows={8}>
        {(d) => <Whole d={d} reload={of.reload} />}
      </Show>
    </div>
  )
}

function Whole({ d, reload }: { d: Document; reload: () => void }) {
  const tab = query.value.get('tab') || 'read'
  const [editing, setEditing] = useState(false)
  useEffect(() => opened({ to: '/documents/' + d.id, label: d.title || d.id, icon: 'document' }), [d.id])
  const chunks = useData((s) => get('/v1/documents/{id}/chunks', {}, s, { id: d.id }), [d.id, d.chunk_count])
  const memories = useData((s) => get('/v1/memories', { document_id: d.id, limit: 100 }, s), [d.id], ['memory'])
  const versions = useData((s) => get('/v1/documents/{id}/versions', {}, s, { id: d.id }), [d.id])
  const remove = () => forget('documents', [d.id], d.title).then(() => go('/documents'), fail)
  const download = async () => {
    try {
      const blob = await (await request('GET', `/v1/documents/${d.id}/content`)).blob()
      const a = document.createElement('a')
      a.href = URL.createObjectURL(blob)
      a.download = d.title || d.id
      a.click()
      setTimeout(() => URL.revokeObjectURL(a.href), 10_000)
    } catch (err) {
      fail(err)
    }
  }
  return (
    <article>
      <header class="mb-5">
        <div class="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
          <span class="badge">
            <Icon name={kindIcon(d.content_type)} size={14} />
            {d.content_type}
          </span>
          <Status d={d} />
          <Container path={d.container} />
          <Ago at={d.occurred_at || d.created_at} />
          {!d.is_latest && (
            <span class="badge text-warn">
              <Icon name="history" size={14} />
              {t('old_version')}
            </span>
          )}
        </div>
        <h1 class="mt-2 text-2xl font-semibold tracking-tight wrap-any" dir="auto">
          {d.title || t('untitled')}
        </h1>
        {d.status === 'failed' && (
          <p role="alert" class="mt-2 text-danger wrap-any">
            {d.reason}
          </p>
        )}
        <div class="mt-4 flex flex-wrap gap-2">
          {mayWrite.value && (
            <Button icon="edit" onClick={() => setEditing(true)}>
              {t('edit_labels')}
            </Button>
          )}
          <Button icon="download" onClick={download}>
            {t('original')}
          </Button>
          {d.source_url && /^https?:/.test(d.source_url) && (
            <a class="btn" href={d.source_url} target="_blank" rel="noopener noreferrer nofollow">
              <Icon name="external" />
              {t('source')}
            </a>
          )}
          {mayWrite.value && (
            <Button icon="trash" danger onClick={remove}>
              {t('forget')}
            </Button>
          )}
        </div>
      </header>
      <Tabs
        label={t('views')}
        at={tab}
        pick={(x) => set({ tab: x === 'read' ? null : x, at: null })}
        tabs={[
          { id: 'read', label: t('read') },
          { id: 'chunks', label: t('chunks'), count: chunks.data?.total },
          { id: 'memories', label: t('nav_memories'), count: memories.data?.total },
          { id: 'versions', label: t('versions'), count: versions.data?.total },
          { id: 'similar', label: t('similar') },
          { id: 'about', label: t('details') },
          { id: 'history', label: t('history') },
        ]}
      />
      {tab === 'read' && (
        <Read
          d={d}
          chunk={chunks.data?.items?.findLast((c) => c.start <= Number(query.value.get('at') ?? -1))?.content}
        />
      )}
      {tab === 'chunks' && (
        <Show of={chunks}>
          {(l) => (
            <>
              <p class="mb-3 text-muted">{t('chunks_about')}</p>
              <ol class="space-y-3">
                {(l.items ?? []).map((c) => (
                  <li key={c.id} class="card p-4">
                    <p class="mb-1.5 flex flex-wrap gap-x-3 text-xs text-muted">
                      <b class="font-medium text-text">#{c.seq + 1}</b>
                      {(c.heading ?? []).length > 0 && <span class="wrap-any">{c.heading.join(' › ')}</span>}
                      <span class="num">
                        {c.page
                          ? t('page_n', c.page)
                          : c.lines?.length
                            ? t('lines', c.lines[0], c.lines[1] ?? c.lines[0])
                            : c.place || `${number(c.start)}–${number(c.end)}`}
                      </span>
                    </p>
                    <p class="serif whitespace-pre-wrap wrap-any" dir="auto">
                      {c.content}
                    </p>
                  </li>
                ))}
              </ol>
            </>
          )}
        </Show>
      )}
      {tab === 'memories' && (
        <Show of={memories}>
          {(l) =>
            l.items?.length ? (
              <ul class="card divide-y divide-line">
                {(l.items as Memory[]).map((m) => (
                  <li key={m.id} class="px-4 py-3">
                    <KindBadge kind={m.kind} />
                    <a class="serif mt-0.5 block hover:underline wrap-any" dir="auto" href={href({ peek: m.id })}>
                      {m.content}
                    </a>
                    {m.sources?.[0]?.quote && (
                      <p class="mt-1 flex gap-1.5 text-muted wrap-any">
                        <Icon name="quote" size={13} class="mt-1" />
                        {m.sources[0].quote}
                      </p>
                    )}
                  </li>
                ))}
              </ul>
            ) : (
              <Empty title={t('no_memories_here')}>{t('no_memories_here_about')}</Empty>
            )
          }
        </Show>
      )}
      {tab === 'versions' && (
        <Show of={versions}>{(l) => <Versions list={(l.items ?? []) as Document[]} now={d} />}</Show>
      )}
      {tab === 'similar' && <Similar d={d} />}
      {tab === 'about' && <About d={d} />}
      {tab === 'history' && <HistoryOf id={d.id} reload={reload} />}
      {editing && <Labels d={d} close={() => setEditing(false)} done={reload} />}
    </article>
  )
}

type View = ComponentType<{ text: string; type: string; mark?: string }>
function Read({ d, chunk }: { d: Document; chunk?: string }) {
  const [view, setView] = useState<{ show: View }>()
  useEffect(() => void import('../parts/reading').then((m) => setView({ show: m.default })), [])
  const picture = /^image/.test(d.content_type) || ['png', 'jpeg', 'gif', 'webp'].includes(d.content_type)
  if (!view) return <Waiting rows={8} />
  return (
    <>
      {picture && <Picture d={d} />}
      {d.content ? (
        <view.show text={d.content} type={d.content_type} mark={chunk} />
      ) : (
        <p class="text-muted">{t(d.status === 'done' ? 'no_text' : 'not_read_yet')}</p>
      )}
    </>
  )
}

function Picture({ d }: { d: Document }) {
  const of = useData(
    async (s) => {
      const raw = await (await request('GET', `/v1/documents/${d.id}/content`, { signal: s })).blob()
      return URL.createObjectURL(
        new Blob([raw], { type: /^image\/(png|jpe?g|gif|webp)$/.test(d.content_type) ? d.content_type : 'image/png' }),
      )
    },
    [d.id],
  )
  useEffect(
    () => () => {
      if (of.data) URL.revokeObjectURL(of.data)
    },
    [of.data],
  )
  return of.data ? <img class="mb-5 max-h-[70vh] rounded-lg border border-line" src={of.data} alt={d.title} /> : null
}

function Versions({ list, now }: { list: Document[]; now: Document }) {
  const sorted = useMemo(() => [...list].sort((a, b) => b.version - a.version), [list])
  const [open, setOpen] = useState<number>()
  const bodies = useData(
    async (s) => {
      const i = sorted.findIndex((v) => v.version === open)
      if (i < 0 || !sorted[i + 1]) return undefined
      const [to, from] = await Promise.all(
        [sorted[i]!, sorted[i + 1]!].map((v) => get('/v1/documents/{id}', {}, s, { id: v.id })),
      )
      return { from: from!.content ?? '', to: to!.content ?? '' }
    },
    [open],
  )
  const restore = (v: Document) =>
    json<Document>('POST', `/v1/documents/${v.id}/restore`).then((r) => {
      say(t('restored'))
      go('/documents/' + r.id)
    }, fail)
  if (sorted.length < 2) return <p class="text-muted">{t('one_version')}</p>
  return (
    <ol class="card divide-y divide-line">
      {sorted.map((v, i) => (
        <li key={v.id} class="px-4 py-3">
          <div class="flex flex-wrap items-center gap-x-3 gap-y-1">
            <b class="font-medium">v{v.version}</b>
            <time class="text-muted" dateTime={v.created_at}>
              {moment(v.created_at)}
            </time>
            <span class="num text-muted">{bytes(v.size)}</span>
            {v.id === now.id ? (
              <span class="text-muted">{t('this_one')}</span>
            ) : (
              <a class="link" href={href('/documents/' + v.id)}>
                {t('show')}
              </a>
            )}
            <span class="ms-auto flex gap-2">
              {sorted[i + 1] && (
                <button
                  type="button"
                  class="link min-h-6"
                  aria-expanded={open === v.version}
                  onClick={() => setOpen(open === v.version ? undefined : v.version)}
                >
                  {t('what_changed')}
                </button>
              )}
              {!v.is_latest && mayWrite.value && (
                <button type="button" class="link min-h-6" onClick={() => restore(v)}>
                  {t('restore_version')}
                </button>
              )}
            </span>
          </div>
          {open === v.version && (
            <div class="serif mt-3 rounded-md bg-sunken p-3 whitespace-pre-wrap wrap-any" dir="auto">
              <Show of={bodies} rows={2}>
                {(b) => b && <WordDiff from={b.from} to={b.to} />}
              </Show>
            </div>
          )}
        </li>
      ))}
    </ol>
  )
}

function Similar({ d }: { d: Document }) {
  const text = [d.title, d.summary].filter(Boolean).join('. ').slice(0, 800)
  const of = useData(
    (s) =>
      json<{
        results: {
          id: string
          score: number
          container: string
          content: string
          document?: { id: string; title: string }
        }[]
      }>('POST', '/v1/search', {
        body: { query: text, types: ['chunk', 'document'], ranker: 'vector', limit: 12 },
        signal: s,
      }),
    [d.id],
  )
  return (
    <Show of={of}>
      {(f) => {
        const seen = new Set([d.id])
        const list = (f.results ?? []).filter((h) => h.document && !seen.has(h.document.id) && seen.add(h.document.id))
        return list.length ? (
          <ul class="card divide-y divide-line">
            {list.map((h) => (
              <li key={h.id} class="px-4 py-3">
                <a class="font-medium hover:underline wrap-any" dir="auto" href={href('/documents/' + h.document!.id)}>
                  {h.document!.title || t('untitled')}
                </a>
                <p class="serif line-clamp-2 text-muted wrap-any" dir="auto">
                  {h.content}
                </p>
                <Container path={h.container} />
              </li>
            ))}
          </ul>
        ) : (
          <p class="text-muted">{t('nothing_similar')}</p>
        )
      }}
    </Show>
  )
}

function About({ d }: { d: Document }) {
  return (
    <>
      <Facts
        rows={[
          [t('summary'), d.summary],
          [
            t('tags'),
            (d.tags ?? []).length > 0 && (
              <span class="flex flex-wrap gap-1.5">
                {d.tags.map((x) => (
                  <a key={x} class="chip max-w-full" href={href('/documents?tag=' + encodeURIComponent(x))}>
                    <span class="truncate">#{x}</span>
                  </a>
                ))}
              </span>
            ),
          ],
          [
            t('names'),
            (d.keywords?.entities ?? []).length > 0 && (
              <span class="flex flex-wrap gap-1.5">
                {d.keywords.entities.map((e) => (
                  <a key={e} class="chip max-w-full" href={href('/people?q=' + encodeURIComponent(e))}>
                    <span class="truncate">{e}</span>
                  </a>
                ))}
              </span>
            ),
          ],
          [t('topics'), (d.keywords?.topics ?? []).join(', ')],
          [t('category'), d.category],
          [t('language'), d.language],
          [t('happened'), date(d.occurred_at)],
          [t('saved_on'), moment(d.created_at)],
          [t('changed_on'), moment(d.updated_at)],
          [t('forget_on'), d.forget_after && moment(d.forget_after)],
          [t('size'), bytes(d.size)],
          [t('chunks'), d.chunk_count && `${number(d.embedded_count)} / ${number(d.chunk_count)}`],
          [t('comes_from'), d.source_url || d.origin],
          [t('own_id'), d.custom_id && <code class="mono">{d.custom_id}</code>],
          [
            t('id'),
            <span class="mono">
              {d.id} <CopyButton text={d.id} label={t('copy_id')} />
            </span>,
          ],
        ]}
      />
      <details class="mt-5">
        <summary class="font-medium">JSON</summary>
        <div class="mt-2">
          <Command text={JSON.stringify({ ...d, content: undefined }, null, 2)} />
        </div>
      </details>
    </>
  )
}

function Labels({ d, close, done }: { d: Document; close: () => void; done: () => void }) {
  const [title, setTitle] = useState(d.title ?? '')
  const [tags, setTags] = useState((d.tags ?? []).join(', '))
  const [until, setUntil] = useState(d.forget_after?.slice(0, 10) ?? '')
  const save = async (e: Event) => {
    e.preventDefault()
    try {
      await json('PATCH', '/v1/documents/' + d.id, {
        body: {
          title: title.trim(),
          tags: tags
            .split(',')
            .map((x) => x.trim())
            .filter(Boolean),
          forget_after: until || null,
        },
      })
      close()
      say(t('saved'))
      done()
    } catch (err) {
      fail(err)
    }
  }
  return (
    <Dialog title={t('edit_labels')} close={close}>
      <form class="space-y-4" onSubmit={save}>
        <label class="block">
          <span class="label">{t('title')}</span>
          <input
            class="field mt-1"
            dir="auto"
            value={title}
            onInput={(e) => setTitle(e.currentTarget.value)}
            autofocus
          />
        </label>
        <label class="block">
          <span class="label">{t('tags_commas')}</span>
          <input class="field mt-1" value={tags} onInput={(e) => setTags(e.currentTarget.value)} />
        </label>
        <label class="block">
          <span class="label">{t('forget_on')}</span>
          <input class="field mt-1" type="date" value={until} onInput={(e) => setUntil(e.currentTarget.value)} />
        </label>
        <div class="flex justify-end gap-2">
          <Button onClick={close}>{t('cancel')}</Button>
          <Button main type="submit">
            {t('save')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
