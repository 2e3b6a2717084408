import { useEffect, useState } from 'preact/hooks'
import { get } from '../lib/api'
import { useData, useMore } from '../lib/data'
import { bytes, moment, number } from '../lib/format'
import { hear, type News } from '../lib/live'
import { isAdmin } from '../lib/me'
import { href, query, set } from '../lib/router'
import { t } from '../lib/strings'
import { Rows } from '../parts/list'
import { Ago, Container, Empty, Facts, Head, Icon, Show, Tabs } from '../parts/ui'

type Entry = {
  action: string
  actor_id: string
  address: string
  at: string
  resource: string
  details: Record<string, unknown>
}
export default function Activity() {
  const tab = query.value.get('tab') || 'audit'
  return (
    <>
      <Head title={t('nav_activity')} about={t('activity_about')} />
      <Tabs
        label={t('views')}
        at={tab}
        pick={(x) => set({ tab: x === 'audit' ? null : x }, true)}
        tabs={[
          { id: 'audit', label: t('audit') },
          { id: 'receipts', label: t('receipts') },
          { id: 'live', label: t('live_now') },
        ]}
      />
      {tab === 'audit' ? <Audit /> : tab === 'receipts' ? <Receipts /> : <Live />}
    </>
  )
}

const actions = [
  'key.create',
  'key.revoke',
  'auth.failed',
  'document.delete',
  'memory.delete',
  'conversation.delete',
  'node.delete',
  'user.create',
  'user.delete',
  'grant.create',
  'grant.revoke',
]
function Audit() {
  const q = query.value,
    action = q.get('action') ?? '',
    all = q.get('all') === '1'
  const of = useMore<Entry>(
    (offset, limit, s) =>
      get('/v1/audit', { action: action || undefined, all: all || undefined, offset, limit }, s) as never,
    [action, all],
    ['memory.deleted', 'document.deleted', 'node'],
  )
  return (
    <>
      <div class="mb-4 flex flex-wrap items-center gap-3">
        <select
          class="field !w-auto"
          aria-label={t('action')}
          value={action}
          onChange={(e) => set({ action: e.currentTarget.value }, true)}
        >
          <option value="">{t('all_actions')}</option>
          {actions.map((a) => (
            <option key={a} value={a}>
              {a}
            </option>
          ))}
        </select>
        {isAdmin.value && (
          <label class="flex min-h-8 items-center gap-2">
            <input type="checkbox" checked={all} onChange={() => set({ all: all ? null : '1' }, true)} />
            {t('of_everyone')}
          </label>
        )}
      </div>
      <Rows
        of={of}
        label={t('audit')}
        id={(e) => e.at + e.action + e.resource}
        empty={<Empty title={t('no_audit')}>{t('no_audit_about')}</Empty>}
        row={(e) => (
          <div class="flex flex-wrap items-baseline gap-x-3 gap-y-1">
            <code class="mono font-medium">{e.action}</code>
            <code class="mono text-muted wrap-any">{e.resource}</code>
            {Object.entries(e.details ?? {})
              .filter(([, v]) => v !== '' && v !== false && v !== null)
              .slice(0, 5)
              .map(([k, v]) => (
                <span key={k} class="text-xs text-muted wrap-any">
                  {k.replaceAll('_', ' ')}: {typeof v === 'object' ? JSON.stringify(v) : String(v)}
                </span>
              ))}
            <span class="ms-auto text-xs text-muted">
              {e.address && <span class="mono">{e.address} · </span>}
              <Ago at={e.at} />
            </span>
          </div>
        )}
      />
    </>
  )
}

type Deletion = {
  receipt_id: string
  action: string
  resource: string
  removed_at: string
  why: string
  parts: string[]
  removed: Record<string, number | string[]>
  scrub: { state: string; files: number; bytes: number }
}
function Receipts() {
  const of = useMore<Deletion>(
    (offset, limit, s) => get('/v1/receipts', { offset, limit }, s) as never,
    [],
    ['memory.deleted', 'document.deleted', 'node'],
  )
  return (
    <Rows
      of={of}
      label={t('receipts')}
      id={(r) => r.receipt_id}
      empty={<Empty title={t('no_receipts')}>{t('no_receipts_about')}</Empty>}
      row={(r) => (
        <details>
          <summary class="flex flex-wrap items-baseline gap-x-3">
            <code class="mono">{r.action}</code>
            <code class="mono text-muted wrap-any">{r.resource}</code>
            <span class="text-muted">{removed(r.removed)}</span>
            <Ago at={r.removed_at} class="ms-auto text-xs text-muted" />
          </summary>
          <div class="mt-3">
            <Facts
              rows={[
                [t('receipt'), <code class="mono">{r.receipt_id}</code>],
                [t('removed_on'), moment(r.removed_at)],
                [t('because_of'), r.why],
                [t('removed'), removed(r.removed)],
                [t('scrubbed'), r.scrub && [r.scrub.state, bytes(r.scrub.bytes)].filter(Boolean).join(' · ')],
              ]}
            />
          </div>
        </details>
      )}
    />
  )
}
const removed = (r: Record<string, number | string[]> = {}) =>
  Object.entries(r)
    .filter(([k, v]) => typeof v === 'number' && v > 0 && k !== 'bytes')
    .map(([k, v]) => `${number(v as number)} ${k}`)
    .join(' · ')

function Live() {
  const [news, setNews] = useState<News[]>([])
  const stats = useData((s) => get('/v1/stats', {}, s), [])
  useEffect(() => hear((n) => setNews((list) => [n, ...list].slice(0, 200))), [])
  const to = (n: News) =>
    n.record_id?.startsWith('mem_')
      ? href({ peek: n.record_id })
      : n.record_id?.startsWith('doc_')
        ? href('/documents/' + n.record_id)
        : undefined
  return (
    <>
      <p class="mb-3 text-muted">{t('live_about')}</p>
      {news.length ? (
        <ul class="card divide-y divide-line" aria-live="polite">
          {news.map((n) => (
            <li key={n.id} class="fresh flex flex-wrap items-baseline gap-x-3 px-4 py-2">
              <code class="mono">{n.type}</code>
              {to(n) ? (
                <a class="link mono wrap-any" href={to(n)}>
                  {n.record_id}
                </a>
              ) : (
                <code class="mono text-muted wrap-any">{n.record_id}</code>
              )}
              <Container path={n.container} />
              <Ago at={n.at} class="ms-auto text-xs text-muted" />
            </li>
          ))}
        </ul>
      ) : (
        <Show of={stats}>
          {() => (
            <p class="flex items-center gap-2 py-6 text-muted">
              <Icon name="activity" />
              {t('live_waiting')}
            </p>
          )}
        </Show>
      )}
    </>
  )
}
