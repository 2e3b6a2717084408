import { useState } from 'preact/hooks'
import { get, json, type Key } from '../lib/api'
import { useData } from '../lib/data'
import { bytes, date, number, percent } from '../lib/format'
import { isAdmin, me } from '../lib/me'
import { query, set } from '../lib/router'
import { t, type Word } from '../lib/strings'
import { ContainerField } from '../parts/pick'
import {
  Ago,
  Button,
  Command,
  Confirm,
  Dialog,
  Facts,
  fail,
  Head,
  Icon,
  Meter,
  say,
  Seg,
  Show,
  Tabs,
} from '../parts/ui'

export default function Settings() {
  const tab = query.value.get('tab') || 'keys'
  const tabs = [
    { id: 'keys', label: t('keys') },
    ...(isAdmin.value ? [{ id: 'users', label: t('users') }] : []),
    { id: 'organisations', label: t('organisations') },
    { id: 'grants', label: t('grants') },
    { id: 'about', label: t('about') },
  ]
  return (
    <>
      <Head title={t('nav_settings')} />
      <Tabs label={t('nav_settings')} at={tab} pick={(x) => set({ tab: x === 'keys' ? null : x }, true)} tabs={tabs} />
      {tab === 'keys' ? (
        <Keys />
      ) : tab === 'users' ? (
        <Users />
      ) : tab === 'organisations' ? (
        <Organisations />
      ) : tab === 'grants' ? (
        <Grants />
      ) : (
        <About />
      )}
    </>
  )
}

function Keys() {
  const [all, setAll] = useState(false)
  const of = useData((s) => get('/v1/keys', { all: all || undefined }, s), [all])
  const [making, setMaking] = useState(false)
  const [ending, setEnding] = useState<Key>()
  return (
    <>
      <div class="mb-4 flex flex-wrap items-center gap-3">
        <Button main icon="plus" onClick={() => setMaking(true)}>
          {t('make_key')}
        </Button>
        {isAdmin.value && (
          <label class="flex min-h-8 items-center gap-2">
            <input type="checkbox" checked={all} onChange={() => setAll(!all)} />
            {t('of_everyone')}
          </label>
        )}
      </div>
      <Show of={of}>
        {(l) => (
          <ul class="card divide-y divide-line" aria-label={t('keys')}>
            {((l.items ?? []) as Key[]).map((k) => {
              const over = k.revoked_at || (k.expires_at && Date.parse(k.expires_at) < Date.now())
              return (
                <li key={k.id} class="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3">
                  <Icon name="key" class={over ? 'text-control' : 'text-muted'} />
                  <div class="min-w-0 grow">
                    <p class={`wrap-any ${over ? 'text-muted line-through' : 'font-medium'}`}>
                      {k.name || k.id} <code class="mono ms-1 text-muted">{k.hint}</code>
                      {k.id === me.value?.key?.id && <span class="badge ms-2 text-accent">{t('this_session')}</span>}
                    </p>
                    <p class="flex flex-wrap gap-x-3 text-xs text-muted">
                      <span>{scopeOf(k)}</span>
                      <span>
                        {k.last_used_at ? (
                          <>
                            {t('used')} <Ago at={k.last_used_at} />
                          </>
                        ) : (
                          t('never_used')
                        )}
                      </span>
                      {k.expires_at && <span>{t('until', date(k.expires_at))}</span>}
                      {k.revoked_at && <span class="text-danger">{t('revoked')}</span>}
                    </p>
                  </div>
                  {!over && (
                    <Button danger onClick={() => setEnding(k)}>
                      {t('revoke')}
                    </Button>
                  )}
                </li>
              )
            })}
          </ul>
        )}
      </Show>
      {making && (
        <MakeKey
          close={() => {
            setMaking(false)
            of.reload()
          }}
        />
      )}
      {ending && (
        <Confirm
          title={t('revoke')}
          body={t(ending.id === me.value?.key?.id ? 'revoke_own' : 'revoke_about', ending.name || ending.id)}
          label={t('revoke')}
          close={() => setEnding(undefined)}
          act={() =>
            json('DELETE', '/v1/keys/' + ending.id).then(() => {
              say(t('revoked'))
              of.reload()
            })
          }
        />
      )}
    </>
  )
}
const scopeOf = (k: Key) =>
  [
    k.role === 'admin' && t('role_admin'),
    k.read_only && t('read_only'),
    k.container && t('bound_to', k.container),
    k.persona && t('persona_of', k.persona),
    k.third_party && t('third_party'),
    k.organisation_id,
  ]
    .filter(Boolean)
    .join(' · ') || t('sees_all')

function MakeKey({ close }: { close: () => void }) {
  const [name, setName] = useState(''),
    [kind, setKind] = useState<'all' | 'container' | 'persona' | 'third'>('all'),
    [where, setWhere] = useState(''),
    [readOnly, setReadOnly] = useState(false),
    [until, setUntil] = useState(''),
    [made, setMade] = useState('')
  const save = async (e: Event) => {
    e.preventDefault()
    try {
      setMade(
        (
          await json<{ key: string }>('POST', '/v1/keys', {
            body: {
              name: name.trim(),
              read_only: readOnly || undefined,
              expires_at: until || undefined,
              container: kind === 'container' ? where.trim() : undefined,
              persona: kind === 'persona' ? where.trim() : undefined,
              third_party: kind === 'third' || undefined,
            },
          })
        ).key,
      )
    } catch (err) {
      fail(err)
    }
  }
  return (
    <Dialog title={t('make_key')} close={close}>
      {made ? (
        <>
          <p class="flex items-center gap-2 text-warn">
            <Icon name="warn" />
            {t('key_once')}
          </p>
          <div class="mt-3">
            <Command text={made} />
          </div>
          <div class="mt-5 flex justify-end">
            <Button main onClick={close}>
              {t('done_close')}
            </Button>
          </div>
        </>
      ) : (
        <form class="space-y-4" onSubmit={save}>
          <label class="block">
            <span class="label">{t('key_name')}</span>
            <input
              class="field mt-1"
              placeholder="claude-code"
              value={name}
              onInput={(e) => setName(e.currentTarget.value)}
              autofocus
            />
          </label>
          <div>
            <p class="label mb-1">{t('key_sees')}</p>
            <Seg
              label={t('key_sees')}
              value={kind}
              pick={setKind}
              options={[
                { id: 'all', label: t('sees_all') },
                { id: 'container', label: t('container') },
                { id: 'persona', label: t('place_persona') },
                { id: 'third', label: t('third_party') },
              ]}
            />
          </div>
          {(kind === 'container' || kind === 'persona') && (
            <label class="block">
              <span class="label">{t('container')}</span>
              <ContainerField value={where} put={setWhere} />
            </label>
          )}
          {kind === 'third' && <p class="text-muted">{t('third_about')}</p>}
          <div class="flex flex-wrap items-end gap-4">
            <label class="block">
              <span class="label">{t('ends_on')}</span>
              <input class="field mt-1" type="date" value={until} onInput={(e) => setUntil(e.currentTarget.value)} />
            </label>
            {kind !== 'third' && (
              <label class="flex min-h-8 items-center gap-2">
                <input type="checkbox" checked={readOnly} onChange={() => setReadOnly(!readOnly)} />
                {t('read_only')}
              </label>
            )}
          </div>
          <div class="flex justify-end gap-2">
            <Button onClick={close}>{t('cancel')}</Button>
            <Button
              main
              type="submit"
              disabled={!name.trim() || ((kind === 'container' || kind === 'persona') && !where.trim())}
            >
              {t('make_key')}
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  )
}

function Users() {
  const of = useData((s) => get('/v1/users', {}, s), [])
  const [name, setName] = useState(''),
    [role, setRole] = useState('user')
  const add = async (e: Event) => {
    e.preventDefault()
    try {
      await json('POST', '/v1/users', { body: { name: name.trim(), role } })
      setName('')
      say(t('saved'))
      of.reload()
    } catch (err) {
      fail(err)
    }
  }
  return (
    <>
      <form class="mb-4 flex flex-wrap items-end gap-2" onSubmit={add}>
        <label class="block">
          <span class="label">{t('name')}</span>
          <input class="field mt-1 !w-56" value={name} onInput={(e) => setName(e.currentTarget.value)} />
        </label>
        <label class="block">
          <span class="label">{t('role')}</span>
          <select class="field mt-1 !w-auto" value={role} onChange={(e) => setRole(e.currentTarget.value)}>
            <option value="user">{t('role_user')}</option>
            <option value="admin">{t('role_admin')}</option>
          </select>
        </label>
        <Button main type="submit" disabled={!name.trim()}>
          {t('add_user')}
        </Button>
      </form>
      <Show of={of}>
        {(l) => (
          <ul class="card divide-y divide-line" aria-label={t('users')}>
            {(l.items ?? []).map((u) => (
              <li key={u.id} class="flex flex-wrap items-center gap-x-4 px-4 py-3">
                <Icon name="user" class="text-muted" />
                <span class="font-medium wrap-any">{u.name}</span>
                <span class="text-muted">{t(('role_' + u.role) as Word)}</span>
                {u.email && <span class="text-muted wrap-any">{u.email}</span>}
                <code class="mono ms-auto text-muted wrap-any">{u.id}</code>
                <Ago at={u.created_at} class="text-xs text-muted" />
              </li>
            ))}
          </ul>
        )}
      </Show>
    </>
  )
}

function Organisations() {
  const of = useData((s) => get('/v1/organisations', { all: isAdmin.value || undefined }, s), [])
  return (
    <Show of={of}>
      {(l) =>
        l.items?.length ? (
          <ul class="card divide-y divide-line">
            {l.items.map((o) => (
              <li key={o.id} class="px-4 py-3">
                <details>
                  <summary class="flex flex-wrap items-center gap-x-4">
                    <span class="font-medium wrap-any">{o.name}</span>
                    <span class="text-muted">{o.role}</span>
                    <code class="mono ms-auto text-muted">{o.id}</code>
                  </summary>
                  <Members id={o.id} />
                </details>
              </li>
            ))}
          </ul>
        ) : (
          <div>
            <p class="mb-3 text-muted">{t('no_organisations')}</p>
            <Command text="lukasa org create 'Acme Ltd' --owner usr_…" />
          </div>
        )
      }
    </Show>
  )
}
function Members({ id }: { id: string }) {
  const of = useData((s) => get('/v1/organisations/{id}/members', {}, s, { id }), [id])
  return (
    <div class="mt-3">
      <Show of={of}>
        {(l) => (
          <table class="grid-table">
            <thead>
              <tr>
                <th>{t('name')}</th>
                <th>{t('role')}</th>
                <th>{t('since')}</th>
              </tr>
            </thead>
            <tbody>
              {(l.items ?? []).map((m) => (
                <tr key={m.user_id}>
                  <td class="wrap-any">{m.name || m.user_id}</td>
                  <td>{m.role}</td>
                  <td>{date(m.added_at)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Show>
    </div>
  )
}

function Grants() {
  const of = useData((s) => get('/v1/grants', {}, s), [])
  const [making, setMaking] = useState(false)
  const [subject, setSubject] = useState(''),
    [container, setContainer] = useState(''),
    [write, setWrite] = useState(false),
    [until, setUntil] = useState('')
  const save = async (e: Event) => {
    e.preventDefault()
    try {
      await json('POST', '/v1/grants', {
        body: {
          subject_id: subject.trim(),
          container: container.trim(),
          grant_type: write ? 'read_write' : 'read',
          expires_at: until || undefined,
        },
      })
      setMaking(false)
      say(t('saved'))
      of.reload()
    } catch (err) {
      fail(err)
    }
  }
  const end = (id: string) =>
    json('POST', `/v1/grants/${id}/revoke`).then(() => {
      say(t('revoked'))
      of.reload()
    }, fail)
  return (
    <>
      <p class="mb-3 max-w-[70ch] text-muted">{t('grants_about')}</p>
      <Button main icon="plus" class="mb-4" onClick={() => setMaking(true)}>
        {t('grant')}
      </Button>
      <Show of={of}>
        {(l) =>
          l.items?.length ? (
            <ul class="card divide-y divide-line">
              {l.items.map((g) => (
                <li key={g.id} class="flex flex-wrap items-center gap-x-4 px-4 py-3">
                  <code class="mono wrap-any">{g.subject_id}</code>
                  <span>{g.container}</span>
                  <span class="text-muted">{t(g.grant_type === 'read_write' ? 'read_write' : 'read_only')}</span>
                  {g.expires_at && <span class="text-muted">{t('until', date(g.expires_at))}</span>}
                  <span class="ms-auto">
                    <Button danger onClick={() => end(g.id)}>
                      {t('revoke')}
                    </Button>
                  </span>
                </li>
              ))}
            </ul>
          ) : (
            <p class="text-muted">{t('no_grants')}</p>
          )
        }
      </Show>
      {making && (
        <Dialog title={t('grant')} close={() => setMaking(false)}>
          <form class="space-y-4" onSubmit={save}>
            <label class="block">
              <span class="label">{t('grant_to')}</span>
              <input
                class="field mt-1"
                placeholder="personas.tutor / key_…"
                value={subject}
                onInput={(e) => setSubject(e.currentTarget.value)}
                autofocus
              />
            </label>
            <label class="block">
              <span class="label">{t('container')}</span>
              <ContainerField value={container} put={setContainer} />
            </label>
            <div class="flex flex-wrap items-end gap-4">
              <label class="block">
                <span class="label">{t('ends_on')}</span>
                <input class="field mt-1" type="date" value={until} onInput={(e) => setUntil(e.currentTarget.value)} />
              </label>
              <label class="flex min-h-8 items-center gap-2">
                <input type="checkbox" checked={write} onChange={() => setWrite(!write)} />
                {t('read_write')}
              </label>
            </div>
            <div class="flex justify-end gap-2">
              <Button onClick={() => setMaking(false)}>{t('cancel')}</Button>
              <Button main type="submit" disabled={!subject.trim() || !container.trim()}>
                {t('grant')}
              </Button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  )
}

function About() {
  const health = useData((s) => get('/health', {}, s), [])
  const usage = useData((s) => get('/v1/usage', {}, s), [])
  const stats = useData((s) => get('/v1/stats', {}, s), [], ['memory', 'document'])
  const [found, setFound] = useState<string[]>()
  const [busy, setBusy] = useState(false)
  const doctor = async (repair: boolean) => {
    setBusy(true)
    try {
      setFound((await json<{ items: string[] }>('POST', '/v1/doctor', { body: { repair } })).items ?? [])
    } catch (err) {
      fail(err)
    }
    setBusy(false)
  }
  return (
    <div class="grid gap-6 lg:grid-cols-2">
      <section class="card p-5">
        <h2 class="mb-3 font-semibold">{t('health')}</h2>
        <Show of={health}>
          {(h) => (
            <>
              <p class="mb-3 text-muted">
                lukasa {h.version} · {t('up_for', number(h.uptime_seconds / 3600, 1))}
              </p>
              <table class="w-full">
                <caption class="sr-only">{t('health')}</caption>
                <tbody>
                  {Object.entries(h.checks ?? {}).map(([name, c]) => (
                    <tr key={name}>
                      <th scope="row" class="w-28 py-1 text-start font-normal text-muted">
                        {name}
                      </th>
                      <td class="py-1">
                        <span class={`badge ${c.status === 'ok' ? 'text-ok' : 'text-warn'}`}>
                          <Icon name={c.status === 'ok' ? 'check' : 'warn'} size={14} />
                          {c.status}
                        </span>
                      </td>
                      <td class="py-1 text-muted wrap-any">{c.detail}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </>
          )}
        </Show>
      </section>
      <section class="card p-5">
        <h2 class="mb-3 font-semibold">{t('usage')}</h2>
        <Show of={usage}>
          {(u) => (
            <Facts
              rows={[
                [
                  t('storage'),
                  <>
                    {bytes(u.storage)} <span class="text-muted">/ {bytes(u.limits?.storage)}</span>{' '}
                    <Meter value={u.storage / (u.limits?.storage || 1)} label={t('storage')} class="ms-2 w-24" />
                  </>,
                ],
                [t('files'), `${number(u.files)} / ${number(u.limits?.files)}`],
                [t('retention'), u.retention_days ? t('days_n', u.retention_days) : t('forever')],
                [t('requests_minute'), number(u.limits?.requests)],
              ]}
            />
          )}
        </Show>
        <Show of={stats}>
          {(s) => (
            <div class="mt-4">
              <Facts
                rows={[
                  [t('nav_memories'), number(s.memories)],
                  [t('nav_documents'), number(s.documents)],
                  [t('chunks'), number(s.chunks)],
                  [t('vectors'), percent(s.embedding_coverage)],
                ]}
              />
            </div>
          )}
        </Show>
      </section>
      <section class="card p-5">
        <h2 class="mb-3 font-semibold">{t('you')}</h2>
        <Facts
          rows={[
            [t('name'), me.value?.user?.name],
            [t('role'), me.value?.user?.role],
            [
              t('key'),
              <>
                {me.value?.key?.name} <code class="mono">{me.value?.key?.hint}</code>
              </>,
            ],
            [t('key_sees'), me.value?.key && scopeOf(me.value.key as Key)],
            [t('organisations'), me.value?.organisation?.name],
          ]}
        />
      </section>
      {isAdmin.value && (
        <section class="card p-5">
          <h2 class="mb-2 font-semibold">{t('doctor')}</h2>
          <p class="mb-3 text-muted">{t('doctor_about')}</p>
          <div class="flex gap-2">
            <Button disabled={busy} onClick={() => doctor(false)}>
              {t('look')}
            </Button>
            <Button disabled={busy} onClick={() => doctor(true)}>
              {t('repair')}
            </Button>
          </div>
          {found && (
            <div class="mt-3" role="status">
              {found.length ? (
                <ul class="list-disc ps-5">
                  {found.map((x) => (
                    <li key={x} class="wrap-any">
                      {x}
                    </li>
                  ))}
                </ul>
              ) : (
                <p class="flex items-center gap-2 text-ok">
                  <Icon name="check" />
                  {t('all_well')}
                </p>
              )}
            </div>
          )}
          <h3 class="mt-5 mb-2 font-semibold">{t('backups')}</h3>
          <p class="mb-2 text-muted">{t('backups_about')}</p>
          <Command text="lukasa backup /backups/$(date +%F)" />
        </section>
      )}
    </div>
  )
}
