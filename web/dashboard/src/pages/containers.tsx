import { useState } from 'preact/hooks'
import { type Branch, get, json } from '../lib/api'
import { useData } from '../lib/data'

import { mayWrite } from '../lib/me'
import { href, query, set } from '../lib/router'
import { t, type Word } from '../lib/strings'
import { ContainerField } from '../parts/pick'
import { Ago, Button, Confirm, Dialog, Empty, Facts, fail, Head, Icon, say, Show } from '../parts/ui'

export default function Containers() {
  const at = query.value.get('at') ?? ''
  const [making, setMaking] = useState(false)
  const of = useData((s) => get('/v1/tree', {}, s), [], ['node', 'memory', 'document'])
  return (
    <>
      <Head title={t('nav_containers')} about={t('containers_about')}>
        {mayWrite.value && (
          <Button main icon="plus" onClick={() => setMaking(true)}>
            {t('new_container')}
          </Button>
        )}
      </Head>
      <Show of={of} rows={6}>
        {(l) => {
          const list = (l.items ?? []) as Branch[]
          if (!list.length)
            return (
              <Empty title={t('no_containers')} command={'lukasa add -c work.acme "Deploys happen on Tuesdays."'}>
                {t('no_containers_about')}
              </Empty>
            )
          const flat = flatten(list),
            chosen = flat.find((b) => b.container === at)
          return (
            <div class="grid items-start gap-6 lg:grid-cols-[2fr_3fr]">
              <nav class="card min-w-0 p-2" aria-label={t('tree')}>
                <Tree list={list} at={at} />
              </nav>
              {chosen ? (
                <One key={chosen.id} b={chosen} reload={of.reload} />
              ) : at ? (
                <p class="py-4 text-muted">{t('err_404')}</p>
              ) : (
                <p class="py-4 text-muted max-lg:hidden">{t('choose_container')}</p>
              )}
            </div>
          )
        }}
      </Show>
      {making && <Make at={at} close={() => setMaking(false)} done={of.reload} />}
    </>
  )
}

const flatten = (list: Branch[]): Branch[] => list.flatMap((b) => [b, ...flatten(b.children ?? [])])

function Tree({ list, at }: { list: Branch[]; at: string }) {
  return (
    <ul>
      {list.map((b) => (
        <li key={b.id}>
          <a
            href={href('/containers?at=' + encodeURIComponent(b.container))}
            aria-current={b.container === at ? 'true' : undefined}
            class={`flex min-h-8 items-center gap-2 rounded-md px-2 ${b.container === at ? 'bg-tint font-medium' : 'hover:bg-sunken'}`}
          >
            <Icon
              name={b.type === 'persona' ? 'user' : 'container'}
              class={b.dormant ? 'text-control' : 'text-muted'}
            />
            <span class="min-w-0 truncate">{b.name}</span>
            <span class="num ms-auto shrink-0 text-xs text-muted">
              {t('docs_mems', b.document_count ?? 0, b.memory_count ?? 0)}
            </span>
          </a>
          {(b.children ?? []).length > 0 && (
            <div class="ms-4 border-s border-line ps-1">
              <Tree list={b.children as Branch[]} at={at} />
            </div>
          )}
        </li>
      ))}
    </ul>
  )
}

function One({ b, reload }: { b: Branch; reload: () => void }) {
  const of = useData((s) => get('/v1/containers/{id}', {}, s, { id: b.id }), [b.id], ['node', 'memory', 'document'])
  const grants = useData((s) => get('/v1/grants', { container: b.container }, s), [b.id])
  const [act, setAct] = useState<'move' | 'archive' | 'delete' | 'edit' | ''>('')
  const [to, setTo] = useState(b.container)
  const gone = () => {
    reload()
    set({ at: null })
  }
  const move = async (e: Event) => {
    e.preventDefault()
    try {
      await json('POST', `/v1/containers/${b.id}/move`, { body: { container: to.trim() } })
      setAct('')
      say(t('moved'), {
        undo: () => json('POST', `/v1/containers/${b.id}/move`, { body: { container: b.container } }).then(reload),
      })
      reload()
      set({ at: to.trim() })
    } catch (err) {
      fail(err)
    }
  }
  return (
    <section class="card min-w-0 p-5">
      <h2 class="flex items-center gap-2 text-xl font-semibold wrap-any">
        <Icon name="container" class="text-muted" />
        {b.container}
      </h2>
      <div class="mt-4 flex flex-wrap gap-2">
        <a class="btn" href={href('/memories?container=' + encodeURIComponent(b.container))}>
          <Icon name="memory" />
          {t('nav_memories')}
        </a>
        <a class="btn" href={href('/documents?container=' + encodeURIComponent(b.container))}>
          <Icon name="document" />
          {t('nav_documents')}
        </a>
        <a class="btn" href={href('/graph?container=' + encodeURIComponent(b.container))}>
          <Icon name="graph" />
          {t('nav_graph')}
        </a>
        {mayWrite.value && (
          <>
            <Button icon="edit" onClick={() => setAct('edit')}>
              {t('describe')}
            </Button>
            <Button icon="turning" onClick={() => setAct('move')}>
              {t('move')}
            </Button>
            <Button icon="archive" onClick={() => setAct('archive')}>
              {t('archive')}
            </Button>
            <Button icon="trash" danger onClick={() => setAct('delete')}>
              {t('delete')}
            </Button>
          </>
        )}
      </div>
      <div class="mt-5">
        <Show of={of}>
          {(n) => (
            <Facts
              rows={[
                [t('name'), n.name],
                [t('kind'), t(('place_' + n.type) as Word)],
                [t('description'), n.description],
                [
                  t('summary'),
                  n.summary && (
                    <details>
                      <summary class="serif line-clamp-4 list-none" title={t('more')}>
                        {n.summary}
                      </summary>
                      <p class="serif">{n.summary}</p>
                    </details>
                  ),
                ],
                [
                  t('names'),
                  (n.manifest?.entities ?? []).length > 0 && (
                    <span class="flex flex-wrap gap-1.5">
                      {n.manifest.entities.slice(0, 12).map((e) => (
                        <a key={e.id} class="chip" href={href('/people/' + e.id)}>
                          {e.name}
                        </a>
                      ))}
                    </span>
                  ),
                ],
                [t('topics'), (n.keywords?.topics ?? []).join(', ')],
                [
                  t('holds'),
                  [
                    t('documents_n', n.manifest?.documents ?? 0),
                    t('memories_n', n.manifest?.memories ?? 0),
                    t('messages_n', n.manifest?.messages ?? 0),
                  ].join(' · '),
                ],
                [t('changed_on'), <Ago at={n.updated_at} />],
                [t('id'), <code class="mono">{n.id}</code>],
              ]}
            />
          )}
        </Show>
      </div>
      {(grants.data?.items ?? []).length > 0 && (
        <>
          <h3 class="mt-6 mb-2 font-semibold">{t('granted_to')}</h3>
          <ul class="divide-y divide-line">
            {grants.data!.items.map((g) => (
              <li key={g.id} class="flex flex-wrap gap-x-3 py-2">
                <code class="mono">{g.subject_id}</code>
                <span class="text-muted">{g.grant_type === 'read_write' ? t('read_write') : t('read_only')}</span>
                <Ago at={g.granted_at} class="ms-auto text-muted" />
              </li>
            ))}
          </ul>
        </>
      )}
      {act === 'move' && (
        <Dialog title={t('move')} close={() => setAct('')}>
          <form class="space-y-4" onSubmit={move}>
            <label class="block">
              <span class="label">{t('new_path')}</span>
              <ContainerField value={to} put={setTo} />
            </label>
            <p class="text-muted">{t('move_about')}</p>
            <div class="flex justify-end gap-2">
              <Button onClick={() => setAct('')}>{t('cancel')}</Button>
              <Button main type="submit" disabled={!to.trim() || to.trim() === b.container}>
                {t('move')}
              </Button>
            </div>
          </form>
        </Dialog>
      )}
      {act === 'archive' && (
        <Confirm
          title={t('archive')}
          body={t('archive_container_about', b.container)}
          label={t('archive')}
          act={() => json('POST', `/v1/containers/${b.id}/archive`, { body: {} }).then(gone)}
          close={() => setAct('')}
        />
      )}
      {act === 'delete' && (
        <Confirm
          title={t('delete_container', b.container)}
          body={t('delete_container_about', (b.document_count ?? 0) + (b.memory_count ?? 0))}
          label={t('delete_for_good')}
          typed={b.container}
          act={() =>
            json('DELETE', `/v1/containers/${b.id}`).then(() => {
              say(t('deleted'))
              gone()
            })
          }
          close={() => setAct('')}
        />
      )}
      {act === 'edit' && of.data && (
        <Describe
          id={b.id}
          now={of.data}
          close={() => setAct('')}
          done={() => {
            of.reload()
            reload()
          }}
        />
      )}
    </section>
  )
}

function Describe({
  id,
  now,
  close,
  done,
}: {
  id: string
  now: { name: string; type: string; description: string }
  close: () => void
  done: () => void
}) {
  const [name, setName] = useState(now.name ?? ''),
    [type, setType] = useState(now.type ?? 'topic'),
    [description, setDescription] = useState(now.description ?? '')
  const save = async (e: Event) => {
    e.preventDefault()
    try {
      await json('PATCH', '/v1/containers/' + id, { body: { name, type, description } })
      close()
      say(t('saved'))
      done()
    } catch (err) {
      fail(err)
    }
  }
  return (
    <Dialog title={t('describe')} close={close}>
      <form class="space-y-4" onSubmit={save}>
        <label class="block">
          <span class="label">{t('name')}</span>
          <input class="field mt-1" dir="auto" value={name} onInput={(e) => setName(e.currentTarget.value)} />
        </label>
        <label class="block">
          <span class="label">{t('kind')}</span>
          <select class="field mt-1" value={type} onChange={(e) => setType(e.currentTarget.value)}>
            {['project', 'topic', 'concept', 'persona'].map((k) => (
              <option key={k} value={k}>
                {t(('place_' + k) as Word)}
              </option>
            ))}
          </select>
        </label>
        <label class="block">
          <span class="label">{t('description')}</span>
          <textarea
            class="field mt-1"
            dir="auto"
            rows={3}
            value={description}
            onInput={(e) => setDescription(e.currentTarget.value)}
          />
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

function Make({ at, close, done }: { at: string; close: () => void; done: () => void }) {
  const [path, setPath] = useState(at ? at + '.' : ''),
    [type, setType] = useState('topic'),
    [description, setDescription] = useState('')
  const save = async (e: Event) => {
    e.preventDefault()
    try {
      await json('POST', '/v1/containers', {
        body: { container: path.trim(), type, description: description.trim() || undefined },
      })
      close()
      say(t('saved'))
      done()
      set({ at: path.trim() })
    } catch (err) {
      fail(err)
    }
  }
  return (
    <Dialog title={t('new_container')} close={close}>
      <form class="space-y-4" onSubmit={save}>
        <label class="block">
          <span class="label">{t('path')}</span>
          <input
            class="field mt-1"
            placeholder="work.acme"
            value={path}
            onInput={(e) => setPath(e.currentTarget.value)}
            autofocus
          />
        </label>
        <label class="block">
          <span class="label">{t('kind')}</span>
          <select class="field mt-1" value={type} onChange={(e) => setType(e.currentTarget.value)}>
            {['project', 'topic', 'concept', 'persona'].map((k) => (
              <option key={k} value={k}>
                {t(('place_' + k) as Word)}
              </option>
            ))}
          </select>
        </label>
        <label class="block">
          <span class="label">{t('description')}</span>
          <textarea
            class="field mt-1"
            dir="auto"
            rows={2}
            value={description}
            onInput={(e) => setDescription(e.currentTarget.value)}
          />
        </label>
        <div class="flex justify-end gap-2">
          <Button onClick={close}>{t('cancel')}</Button>
          <Button main type="submit" disabled={!path.trim()}>
            {t('save')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
