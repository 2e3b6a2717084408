import { useEffect, useState } from 'preact/hooks'
import { forget, patchMemories } from '../lib/acts'
import { get, type Memory } from '../lib/api'
import { stored } from '../lib/data'
import { number } from '../lib/format'
import { useKeys } from '../lib/keys'
import { mayWrite } from '../lib/me'
import { go, href, query, set } from '../lib/router'
import { t, type Word } from '../lib/strings'
import { Editor, StateBadges } from '../parts/memoryview'
import { ContainerPick } from '../parts/pick'
import {
  Ago,
  Button,
  Confidence,
  Container,
  Dialog,
  Empty,
  fail,
  Head,
  Icon,
  KindBadge,
  kinds,
  Seg,
  Trouble,
  Waiting,
} from '../parts/ui'
import { usePages, VirtualRows } from '../parts/virtual'

type Column = 'container' | 'confidence' | 'tags' | 'recorded'
const columns: Column[] = ['container', 'confidence', 'tags', 'recorded']
const widths: Record<Column, string> = {
  container: 'w-36 hidden @min-[560px]:block',
  confidence: 'w-24 hidden @min-[760px]:block',
  tags: 'w-36 hidden @min-[900px]:block',
  recorded: 'w-28 hidden @min-[660px]:block',
}

export default function Memories() {
  const q = query.value
  const p = (name: string) => q.get(name) ?? ''
  const state = p('state') || 'latest'
  const filter = {
    container: p('container') || undefined,
    kind: p('kind') || undefined,
    tag: p('tag') || undefined,
    entity: p('entity') || undefined,
    subject: p('subject') || undefined,
    document_id: p('document') || undefined,
    created_from: p('from') || undefined,
    created_to: p('to') || undefined,
    as_of: p('as_of') || undefined,
    latest: state === 'latest' ? true : state === 'superseded' ? false : undefined,
    state: ['archived', 'quarantined', 'candidate'].includes(state) ? state : undefined,
  }
  const pages = usePages<Memory>(
    (offset, limit, s) => get('/v1/memories', { ...filter, offset, limit }, s) as never,
    [filter],
    'memory',
  )
  const [cursor, setCursor] = useState(-1)
  const [chosen, setChosen] = useState(new Set<string>())
  const [adding, setAdding] = useState(false)
  const [tagging, setTagging] = useState(false)
  const [shown, setShown] = useState<Column[]>(() => stored.get('columns', columns))
  const total = pages.total ?? 0
  const peek = q.get('peek')
  useEffect(() => {
    setChosen(new Set())
    setCursor(-1)
  }, [JSON.stringify(filter)])

  const toggle = (id: string) =>
    setChosen((c) => {
      const n = new Set(c)
      n.has(id) ? n.delete(id) : n.add(id)
      return n
    })
  const step = (by: number) => {
    const i = Math.max(0, Math.min(total - 1, cursor + by))
    setCursor(i)
    const m = pages.at(i)
    if (m && peek) set({ peek: m.id })
  }
  const targets = () =>
    chosen.size ? pages.loaded().filter((m) => chosen.has(m.id)) : ([pages.at(cursor)].filter(Boolean) as Memory[])
  const remove = async () => {
    const list = chosen.size ? [...chosen] : targets().map((m) => m.id)
    if (!list.length) return
    try {
      await forget(
        'memories',
        list,
        list.length === 1 ? pages.loaded().find((m) => m.id === list[0])?.content : undefined,
      )
      setChosen(new Set())
      if (peek && list.includes(peek)) set({ peek: null })
    } catch (err) {
      fail(err)
    }
    pages.reload()
  }
  const archive = () =>
    patchMemories(
      targets(),
      () => ({ state: state === 'archived' ? 'active' : 'archived' }),
      t(state === 'archived' ? 'unarchived' : 'archived_done'),
    )
      .then(() => setChosen(new Set()), fail)
      .then(pages.reload)
  const all = async () => {
    const ids: string[] = []
    try {
      for (let offset = 0; offset < Math.min(total, 5000); offset += 100)
        ids.push(...((await get('/v1/memories', { ...filter, offset, limit: 100 })).items ?? []).map((m) => m.id))
    } catch (err) {
      fail(err)
    }
    setChosen(new Set(ids))
  }
  const here = () => pages.at(cursor)
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    Enter: () => here() && set({ peek: here()!.id }, true),
    o: () => here() && go('/memories/' + here()!.id),
    x: () => here() && toggle(here()!.id),
    '#': () => mayWrite.value && void remove(),
    a: () => void all(),
    ...(chosen.size ? { Escape: () => setChosen(new Set()) } : {}),
  })
  const narrowed = Object.entries(filter).some(([k, v]) => v !== undefined && k !== 'latest') || state !== 'latest'
  const choose = (name: string) => (v: string) => set({ [name]: v, peek: null }, true)

  return (
    <>
      <Head title={t('nav_memories')} about={t('memories_about')}>
        <ColumnMenu
          shown={shown}
          pick={(c) => {
            setShown(c)
            stored.set('columns', c)
          }}
        />
        {mayWrite.value && (
          <Button main icon="plus" onClick={() => setAdding(true)}>
            {t('new_memory')}
          </Button>
        )}
      </Head>
      <div class="mb-4 flex flex-wrap items-center gap-2">
        <Seg
          label={t('state')}
          value={state}
          pick={choose('state')}
          options={[
            { id: 'latest', label: t('state_latest') },
            { id: 'superseded', label: t('state_superseded') },
            { id: 'archived', label: t('state_archived') },
            { id: 'all', label: t('state_all') },
          ]}
        />
        <select
          class="field !w-auto"
          aria-label={t('kind')}
          value={p('kind')}
          onChange={(e) => choose('kind')(e.currentTarget.value)}
        >
          <option value="">{t('all_kinds')}</option>
          {kinds.map((k) => (
            <option key={k} value={k}>
              {t(('kind_' + k) as Word)}
            </option>
          ))}
        </select>
        <ContainerPick value={p('container')} pick={choose('container')} />
        {(['tag', 'entity', 'subject', 'document', 'from', 'to', 'as_of'] as const)
          .filter((n) => p(n))
          .map((n) => (
            <button
              key={n}
              type="button"
              class="chip"
              aria-pressed="true"
              title={t('remove_filter')}
              onClick={() => set({ [n]: null }, true)}
            >
              <span class="truncate">
                {t(('filter_' + n) as Word)} {p(n)}
              </span>
              <Icon name="close" size={12} />
            </button>
          ))}
      </div>
      {pages.error && <Trouble error={pages.error} again={pages.reload} />}
      {pages.total === undefined ? (
        !pages.error && <Waiting rows={8} />
      ) : total === 0 ? (
        narrowed ? (
          <Empty title={t('nothing_matches')}>
            <a class="link" href={href('/memories')}>
              {t('clear_filters')}
            </a>
          </Empty>
        ) : (
          <Empty title={t('no_memories')} command={curl()}>
            {t('no_memories_about')}
          </Empty>
        )
      ) : (
        <div class="card @container" role="table" aria-label={t('nav_memories')} aria-rowcount={total + 1}>
          <div role="rowgroup" class="sticky top-[49px] z-10 rounded-t-lg border-b border-line bg-surface">
            {chosen.size > 0 ? (
              <div role="row" class="flex min-h-11 flex-wrap items-center gap-2 px-3 py-1.5">
                <span role="cell" class="flex flex-wrap items-center gap-2">
                  <b class="num font-medium">{t('chosen', chosen.size)}</b>
                  {chosen.size < total && (
                    <button type="button" class="link min-h-6" onClick={all}>
                      {t('choose_all', Math.min(total, 5000))}
                    </button>
                  )}
                  {mayWrite.value && (
                    <>
                      <Button icon="tag" onClick={() => setTagging(true)}>
                        {t('tag')}
                      </Button>
                      <Button icon="archive" onClick={archive}>
                        {t(state === 'archived' ? 'unarchive' : 'archive')}
                      </Button>
                      <Button icon="trash" danger onClick={remove}>
                        {t('forget')}
                      </Button>
                    </>
                  )}
                  <Button bare onClick={() => setChosen(new Set())}>
                    {t('cancel')}
                  </Button>
                </span>
              </div>
            ) : (
              <div
                role="row"
                aria-rowindex={1}
                class="flex min-h-11 items-center gap-3 px-3 text-xs font-medium text-muted"
              >
                <span role="columnheader" class="w-5">
                  <span class="sr-only">{t('select')}</span>
                </span>
                <span role="columnheader" class="w-28 shrink-0 max-sm:w-3.5">
                  <span class="max-sm:sr-only">{t('kind')}</span>
                </span>
                <span role="columnheader" class="grow whitespace-nowrap">
                  {t('text')} <span class="num font-normal">· {number(total)}</span>
                </span>
                {shown.map((c) => (
                  <span key={c} role="columnheader" class={widths[c] + ' shrink-0'}>
                    {t(c)}
                  </span>
                ))}
              </div>
            )}
          </div>
          <VirtualRows
            label={t('nav_memories')}
            count={total}
            height={44}
            need={pages.ensure}
            reveal={cursor}
            row={(i) => (
              <Row
                i={i}
                m={pages.at(i)}
                on={i === cursor || pages.at(i)?.id === peek}
                fresh={pages.fresh.has(pages.at(i)?.id ?? '')}
                chosen={chosen.has(pages.at(i)?.id ?? '')}
                shown={shown}
                toggle={toggle}
                open={(id) => {
                  setCursor(i)
                  set({ peek: id }, !peek)
                }}
              />
            )}
          />
        </div>
      )}
      {adding && <Editor close={() => setAdding(false)} done={() => pages.reload()} />}
      {tagging && (
        <TagDialog
          list={targets()}
          close={() => setTagging(false)}
          done={() => {
            setChosen(new Set())
            pages.reload()
          }}
        />
      )}
    </>
  )
}

function Row({
  i,
  m,
  on,
  chosen,
  shown,
  toggle,
  open,
  fresh,
}: {
  i: number
  m?: Memory
  on: boolean
  chosen: boolean
  fresh: boolean
  shown: Column[]
  toggle: (id: string) => void
  open: (id: string) => void
}) {
  if (!m)
    return (
      <div role="row" aria-rowindex={i + 2} class="flex h-11 items-center px-3">
        <span role="cell" class="skeleton h-4 w-2/3">
          <span class="sr-only">{t('loading')}</span>
        </span>
      </div>
    )
  return (
    <div
      role="row"
      aria-rowindex={i + 2}
      aria-selected={chosen}
      data-id={m.id}
      class={`flex h-11 items-center gap-3 border-b border-line px-3 ${on ? 'row-on' : 'hover:bg-sunken'} ${fresh ? 'fresh' : ''}`}
    >
      <span role="cell" class="flex w-5 items-center">
        <input
          type="checkbox"
          class="size-4"
          checked={chosen}
          onChange={() => toggle(m.id)}
          aria-label={t('select_this', m.content.slice(0, 80))}
        />
      </span>
      <span role="cell" class="w-28 shrink-0 max-sm:w-3.5 max-sm:overflow-hidden">
        <KindBadge kind={m.kind} />
      </span>
      <span role="cell" class="flex min-w-0 grow items-center gap-2">
        <a
          class="serif min-w-0 truncate"
          dir="auto"
          href={href({ peek: m.id })}
          onClick={(e) => {
            if (e.metaKey || e.ctrlKey || e.shiftKey) return
            e.preventDefault()
            open(m.id)
          }}
        >
          {m.content}
        </a>
        <span class="shrink-0">
          <StateBadges m={m} />
        </span>
      </span>
      {shown.map((c) => (
        <span key={c} role="cell" class={`${widths[c]} shrink-0 overflow-hidden text-xs`}>
          {c === 'container' ? (
            <Container path={m.container} />
          ) : c === 'confidence' ? (
            <Confidence value={m.confidence} />
          ) : c === 'tags' ? (
            <span class="block truncate text-muted">{(m.tags ?? []).map((x) => '#' + x).join(' ')}</span>
          ) : (
            <Ago at={m.recorded_at} class="text-muted" />
          )}
        </span>
      ))}
    </div>
  )
}

function ColumnMenu({ shown, pick }: { shown: Column[]; pick: (c: Column[]) => void }) {
  return (
    <details
      class="relative max-lg:hidden"
      onFocusOut={(e) => {
        if (!e.currentTarget.contains(e.relatedTarget as Node)) e.currentTarget.open = false
      }}
    >
      <summary class="btn list-none">
        <Icon name="table" />
        {t('columns')}
      </summary>
      <div class="card absolute end-0 top-full z-20 mt-1 w-48 p-2 shadow-lg">
        {columns.map((c) => (
          <label key={c} class="flex min-h-8 items-center gap-2 rounded px-2 hover:bg-sunken">
            <input
              type="checkbox"
              checked={shown.includes(c)}
              onChange={() => pick(columns.filter((x) => (x === c ? !shown.includes(c) : shown.includes(x))))}
            />
            {t(c)}
          </label>
        ))}
      </div>
    </details>
  )
}

function TagDialog({ list, close, done }: { list: Memory[]; close: () => void; done: () => void }) {
  const [add, setAdd] = useState('')
  const [drop, setDrop] = useState<string[]>([])
  const have = [...new Set(list.flatMap((m) => m.tags ?? []))].sort()
  const words = add
    .split(',')
    .map((x) => x.trim())
    .filter(Boolean)
  const save = async (e: Event) => {
    e.preventDefault()
    close()
    await patchMemories(
      list,
      (m) => ({ tags: [...new Set([...(m.tags ?? []).filter((x) => !drop.includes(x)), ...words])] }),
      t('tagged', list.length),
    ).then(done, fail)
  }
  return (
    <Dialog title={t('tag_many', list.length)} close={close}>
      <form onSubmit={save} class="space-y-4">
        <label class="block">
          <span class="label">{t('tags_add')}</span>
          <input class="field mt-1" value={add} onInput={(e) => setAdd(e.currentTarget.value)} autofocus />
        </label>
        {have.length > 0 && (
          <div>
            <p class="label mb-1">{t('tags_drop')}</p>
            <div class="flex flex-wrap gap-1.5">
              {have.map((x) => (
                <button
                  key={x}
                  type="button"
                  class="chip"
                  aria-pressed={drop.includes(x)}
                  onClick={() => setDrop(drop.includes(x) ? drop.filter((y) => y !== x) : [...drop, x])}
                >
                  #{x}
                </button>
              ))}
            </div>
          </div>
        )}
        <div class="flex justify-end gap-2">
          <Button onClick={close}>{t('cancel')}</Button>
          <Button main type="submit" disabled={!words.length && !drop.length}>
            {t('save')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

export const curl = () => `curl ${location.origin}/v1/messages \\
  -H "Authorization: Bearer $LUKASA_API_KEY" -H 'Content-Type: application/json' \\
  -d '{"conversation":"hello","messages":[{"role":"user","speaker":"Ana","content":"I moved to Lyon, and I prefer green tea."}]}'`
