import { useEffect, useState } from 'preact/hooks'
import { Fault, get, json } from '../lib/api'
import { useData, useDebounced } from '../lib/data'
import { date, number } from '../lib/format'
import { mayWrite } from '../lib/me'
import { opened } from '../lib/recent'
import { go, href } from '../lib/router'
import { t, type Word } from '../lib/strings'
import { Button, Confirm, Container, Dialog, Facts, fail, Icon, KindBadge, say, Show, Trouble } from '../parts/ui'
import { type Thing, thingIcon, thingKinds } from './people'

export default function Person({ id }: { id: string }) {
  const of = useData((s) => get('/v1/entities/{id}', {}, s, { id: id! }), [id], ['memory', 'document', 'message'])
  return (
    <div class="mx-auto max-w-4xl">
      <a class="mb-5 inline-flex items-center gap-1.5 text-muted hover:text-text" href={href('/people')}>
        <Icon name="back" />
        {t('nav_people')}
      </a>
      <Show of={of} rows={8}>
        {(e) => <Whole e={e as never} reload={of.reload} />}
      </Show>
    </div>
  )
}

type About = Awaited<ReturnType<typeof get<'/v1/entities/{id}'>>>
function Whole({ e, reload }: { e: About; reload: () => void }) {
  const [editing, setEditing] = useState(false)
  const [merging, setMerging] = useState(false)
  useEffect(() => opened({ to: '/people/' + e.id, label: e.name, icon: 'people' }), [e.id])
  return (
    <article class="space-y-6">
      <header>
        <p class="badge text-muted">
          <Icon name={thingIcon(e.kind)} size={14} />
          {t(('thing_' + e.kind) as Word)}
        </p>
        <h1 class="mt-2 text-2xl font-semibold tracking-tight wrap-any" dir="auto">
          {e.name}
        </h1>
        {mayWrite.value && (
          <div class="mt-4 flex flex-wrap gap-2">
            <Button icon="edit" onClick={() => setEditing(true)}>
              {t('rename')}
            </Button>
            <Button icon="merge" onClick={() => setMerging(true)}>
              {t('merge')}
            </Button>
            <a class="btn" href={href('/memories?entity=' + encodeURIComponent(e.name))}>
              <Icon name="memory" />
              {t('all_memories_of')}
            </a>
          </div>
        )}
      </header>
      <Facts
        rows={[
          [t('aliases'), (e.aliases ?? []).join(', ')],
          [t('seen'), t('from_to', date(e.first_seen), date(e.last_seen))],
          [t('mentions'), number(e.mentions)],
          [
            t('nav_containers'),
            <span class="flex flex-wrap gap-x-4">
              {(e.where ?? []).map((w) => (
                <span key={w.id} class="inline-flex items-center gap-1">
                  <Container path={w.container} />
                  <span class="num text-muted">{w.mentions}</span>
                </span>
              ))}
            </span>,
          ],
          [
            t('related'),
            (e.related ?? []).length > 0 && (
              <span class="flex flex-wrap gap-1.5">
                {e.related.map((r) => (
                  <a
                    key={r.id}
                    class="chip max-w-full"
                    href={href(r.id.startsWith('ent_') ? '/people/' + r.id : '/containers')}
                  >
                    <span class="truncate">{r.name}</span>
                  </a>
                ))}
              </span>
            ),
          ],
        ]}
      />
      <Statements word="nav_memories" list={(e.memories ?? []).map((m) => ({ ...m, to: { peek: m.id } }))} />
      <Statements word="nav_documents" list={(e.documents ?? []).map((m) => ({ ...m, to: '/documents/' + m.id }))} />
      <Statements
        word="nav_conversations"
        list={(e.messages ?? []).map((m) => ({ ...m, to: '/search?q=' + encodeURIComponent(m.text.slice(0, 120)) }))}
      />
      {editing && <Edit e={e} close={() => setEditing(false)} done={reload} />}
      {merging && <Merge e={e} close={() => setMerging(false)} />}
    </article>
  )
}

function Statements({
  word,
  list,
}: {
  word: Word
  list: {
    id: string
    text: string
    kind: string
    container: string
    at: string
    is_latest?: boolean
    speaker?: string
    to: string | { peek: string }
  }[]
}) {
  if (!list.length) return null
  return (
    <section>
      <h2 class="mb-2 font-semibold">{t(word)}</h2>
      <ul class="card divide-y divide-line">
        {list.map((m) => (
          <li key={m.id} class="px-4 py-3">
            <a
              class={`serif wrap-any hover:underline ${m.is_latest === false ? 'text-muted line-through' : ''}`}
              dir="auto"
              href={href(m.to)}
            >
              {m.text}
            </a>
            <p class="mt-0.5 flex flex-wrap gap-x-3 text-xs text-muted">
              {word === 'nav_memories' && <KindBadge kind={m.kind} />}
              {m.speaker && <span>{m.speaker}</span>}
              <Container path={m.container} />
              <span>{date(m.at)}</span>
            </p>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Edit({ e, close, done }: { e: About; close: () => void; done: () => void }) {
  const [name, setName] = useState(e.name)
  const [kind, setKind] = useState(e.kind)
  const [aliases, setAliases] = useState((e.aliases ?? []).join(', '))
  const save = async (ev: Event) => {
    ev.preventDefault()
    try {
      const list = aliases
        .split(',')
        .map((x) => x.trim())
        .filter(Boolean)
      await json('PATCH', '/v1/entities/' + e.id, {
        body: {
          name: name.trim(),
          kind,
          aliases: [...new Set([...list, ...(name.trim() !== e.name ? [e.name] : [])])],
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
    <Dialog title={t('rename')} close={close}>
      <form class="space-y-4" onSubmit={save}>
        <label class="block">
          <span class="label">{t('name')}</span>
          <input class="field mt-1" dir="auto" value={name} onInput={(x) => setName(x.currentTarget.value)} autofocus />
        </label>
        <label class="block">
          <span class="label">{t('kind')}</span>
          <select class="field mt-1" value={kind} onChange={(x) => setKind(x.currentTarget.value)}>
            {[...new Set([...thingKinds, 'concept', 'other', e.kind])].map((k) => (
              <option key={k} value={k}>
                {t(('thing_' + k) as Word)}
              </option>
            ))}
          </select>
        </label>
        <label class="block">
          <span class="label">{t('aliases_commas')}</span>
          <input class="field mt-1" dir="auto" value={aliases} onInput={(x) => setAliases(x.currentTarget.value)} />
        </label>
        <p class="text-muted">{t('kind_about')}</p>
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

function Merge({ e, close }: { e: About; close: () => void }) {
  const [text, setText] = useState(e.name.split(' ')[0] ?? '')
  const [other, setOther] = useState<Thing>()
  const asked = useDebounced(text.trim(), 200)
  const of = useData(
    (s) => (asked ? get('/v1/entities', { q: asked, limit: 10 }, s) : Promise.resolve(undefined)),
    [asked],
  )
  if (other)
    return (
      <Confirm
        title={t('merge')}
        body={t('merge_about', other.name, e.name)}
        label={t('merge')}
        close={close}
        act={async () => {
          const got = await json<Thing>('POST', `/v1/entities/${e.id}/merge`, { body: { other: other.id } })
          say(t('merged'))
          go('/people/' + got.id)
        }}
      />
    )
  return (
    <Dialog title={t('merge')} close={close}>
      <label class="block">
        <span class="label">{t('merge_with')}</span>
        <input
          class="field mt-1"
          type="search"
          value={text}
          onInput={(x) => setText(x.currentTarget.value)}
          autofocus
        />
      </label>
      <Trouble error={of.error as Fault} />
      <ul class="mt-3 divide-y divide-line">
        {((of.data?.items ?? []) as Thing[])
          .filter((x) => x.id !== e.id)
          .map((x) => (
            <li key={x.id}>
              <button
                type="button"
                class="flex min-h-9 w-full items-center gap-2 rounded px-2 text-start hover:bg-sunken"
                onClick={() => setOther(x)}
              >
                <Icon name={thingIcon(x.kind)} class="text-muted" />
                <span class="wrap-any" dir="auto">
                  {x.name}
                </span>
                <span class="num ms-auto text-muted">{number(x.mentions)}</span>
              </button>
            </li>
          ))}
      </ul>
    </Dialog>
  )
}
