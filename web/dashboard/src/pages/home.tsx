import { useEffect, useMemo, useState } from 'preact/hooks'
import { get, type Memory, request } from '../lib/api'
import { stored, useData } from '../lib/data'
import { bytes, number, percent } from '../lib/format'
import { isAdmin, me } from '../lib/me'
import { href } from '../lib/router'
import { t, type Word } from '../lib/strings'
import { Ago, Container, Empty, Head, KindBadge, kinds, Meter, Show, type Kind } from '../parts/ui'
import { curl } from './memories'

export default function Home() {
  const since = useMemo(() => {
    const at = stored.get('visit', '')
    stored.set('visit', new Date().toISOString())
    return at
  }, [])
  const stats = useData((s) => get('/v1/stats', {}, s), [], ['memory', 'document', 'message'])
  const usage = useData((s) => get('/v1/usage', {}, s), [])
  const newest = useData((s) => get('/v1/memories', { latest: true, limit: 8 }, s), [], ['memory'])
  const fresh = useData(
    (s) => (since ? get('/v1/memories', { created_from: since, limit: 1 }, s) : Promise.resolve(undefined)),
    [since],
    ['memory'],
  )
  const quarantined = useData((s) => get('/v1/memories', { state: 'quarantined', limit: 1 }, s), [], ['memory'])
  const candidates = useData((s) => get('/v1/memories', { state: 'candidate', limit: 1 }, s), [], ['memory'])
  const failedDocs = useData((s) => get('/v1/documents', { status: 'failed', limit: 1 }, s), [], ['document'])
  const n = stats.data
  const empty = n && !n.memories && !n.documents && !n.messages
  const review = (quarantined.data?.total ?? 0) + (candidates.data?.total ?? 0) + (failedDocs.data?.total ?? 0)
  return (
    <>
      <Head
        title={t('hello', me.value?.organisation?.name || me.value?.user?.name || '')}
        about={fresh.data?.total ? t('since_last', fresh.data.total) : t('home_about')}
      />
      <Show of={stats} rows={5}>
        {(st) =>
          empty ? (
            <Empty title={t('home_empty')} command={curl()}>
              <>
                {t('home_empty_about')}{' '}
                <a class="link" href={href('/setup')}>
                  {t('nav_setup')}
                </a>
              </>
            </Empty>
          ) : (
            <>
              <ul class="grid grid-cols-2 gap-3 sm:grid-cols-3 xl:grid-cols-6">
                <Tile to="/memories" word="nav_memories" value={number(st.memories)} />
                <Tile
                  to="/documents"
                  word="nav_documents"
                  value={number(st.documents)}
                  more={st.documents_this_week ? t('this_week', st.documents_this_week) : undefined}
                />
                <Tile
                  to="/conversations"
                  word="nav_conversations"
                  value={number(st.conversations)}
                  more={t('messages_n', st.messages ?? 0)}
                />
                <Tile to="/containers" word="nav_containers" value={number(st.nodes)} />
                <Tile to="/review" word="to_review" value={number(review)} tone={review ? 'text-warn' : ''} />
                <Tile
                  to="/settings?tab=about"
                  word="storage"
                  value={bytes(usage.data?.storage ?? st.storage_bytes)}
                  more={
                    st.embedding_coverage !== undefined && st.embedding_coverage < 1
                      ? t('embedded', percent(st.embedding_coverage))
                      : undefined
                  }
                />
              </ul>
              <div class="mt-6 grid gap-6 lg:grid-cols-[3fr_2fr]">
                <section class="card min-w-0 p-5">
                  <h2 class="mb-3 flex items-center justify-between font-semibold">
                    {t('newest')}
                    <a class="link font-normal" href={href('/memories')}>
                      {t('all')}
                    </a>
                  </h2>
                  <Show of={newest}>
                    {(l) =>
                      l.items?.length ? (
                        <ul class="divide-y divide-line" data-testid="newest">
                          {l.items.map((m) => (
                            <Line key={m.id} m={m as Memory} />
                          ))}
                        </ul>
                      ) : (
                        <p class="text-muted">{t('no_memories')}</p>
                      )
                    }
                  </Show>
                </section>
                <div class="min-w-0 space-y-6">
                  <section class="card p-5">
                    <h2 class="mb-3 font-semibold">{t('kinds_of_memories')}</h2>
                    <Kinds total={st.memories ?? 0} />
                  </section>
                  <section class="card p-5">
                    <h2 class="mb-3 font-semibold">{t('growth')}</h2>
                    <Growth now={st.memories ?? 0} />
                  </section>
                  {isAdmin.value && (
                    <section class="card p-5">
                      <h2 class="mb-3 font-semibold">{t('search_speed')}</h2>
                      <Speed />
                    </section>
                  )}
                </div>
              </div>
            </>
          )
        }
      </Show>
    </>
  )
}

function Tile({
  to,
  word,
  value,
  more,
  tone = '',
}: {
  to: string
  word: Word
  value: string
  more?: string
  tone?: string
}) {
  return (
    <li>
      <a href={href(to)} class="card block h-full p-4 hover:border-control">
        <span class="label">{t(word)}</span>
        <span class={'num mt-1 block text-2xl font-semibold ' + tone}>{value}</span>
        {more && <span class="label num">{more}</span>}
      </a>
    </li>
  )
}

function Line({ m }: { m: Memory }) {
  return (
    <li class="py-2.5">
      <a href={href('/memories/' + m.id)} class="serif line-clamp-2 wrap-any hover:underline" dir="auto">
        {m.content}
      </a>
      <p class="mt-1 flex flex-wrap items-center gap-x-3 text-xs text-muted">
        <KindBadge kind={m.kind} />
        <Container path={m.container} />
        <Ago at={m.recorded_at} />
      </p>
    </li>
  )
}

function Kinds({ total }: { total: number }) {
  const of = useData(
    async (s) => {
      const out: [Kind, number][] = []
      for (const kind of kinds) {
        // one after the other: a key may ask only so often a minute
        const l = await get('/v1/memories', { kind, latest: true, limit: 1 }, s)
        if (l.total) out.push([kind, l.total])
      }
      return out.sort((a, b) => b[1] - a[1])
    },
    [Math.floor(total / 10)],
  )
  return (
    <Show of={of} rows={4}>
      {(list) => {
        const most = Math.max(1, ...list.map(([, n]) => n))
        return list.length ? (
          <ul class="space-y-1.5">
            {list.map(([kind, n]) => (
              <li key={kind}>
                <a href={href('/memories?kind=' + kind)} class="flex items-center gap-3 hover:underline">
                  <span class="w-32 shrink-0">
                    <KindBadge kind={kind} />
                  </span>
                  <Meter value={n / most} label={t(('kind_' + kind) as Word)} class="grow" tone="bg-control" />
                  <span class="num w-10 text-end">{number(n)}</span>
                </a>
              </li>
            ))}
          </ul>
        ) : (
          <p class="text-muted">{t('no_memories')}</p>
        )
      }}
    </Show>
  )
}

/** Growth draws how many memories there were at the end of each of the last weeks. */
function Growth({ now }: { now: number }) {
  const weeks = 8
  const of = useData(async (s) => {
    const out: number[] = []
    for (let w = weeks; w > 0; w--)
      out.push(
        (await get('/v1/stats', { as_of: new Date(Date.now() - w * 7 * 86400e3).toISOString() }, s)).memories ?? 0,
      )
    return out
  }, [])
  return (
    <Show of={of} rows={2}>
      {(past) => {
        const all = [...past, now],
          most = Math.max(1, ...all)
        const points = all.map((n, i) => [6 + (i * 288) / weeks, 66 - (n / most) * 56] as const)
        return (
          <figure>
            <svg
              viewBox="0 0 300 72"
              class="h-20 w-full overflow-visible text-accent"
              role="img"
              aria-label={t('growth_label', all.map((n) => number(n)).join(', '))}
              preserveAspectRatio="none"
            >
              <path d={`M${points.map((p) => p.join(' ')).join('L')}L294 70L6 70Z`} fill="currentColor" opacity=".12" />
              <path
                d={`M${points.map((p) => p.join(' ')).join('L')}`}
                fill="none"
                stroke="currentColor"
                stroke-width="2"
                vector-effect="non-scaling-stroke"
              />
            </svg>
            <figcaption class="mt-1 flex justify-between text-xs text-muted">
              <span>
                {t('weeks_ago', weeks)}: {number(past[0])}
              </span>
              <span>
                {t('now')}: {number(now)}
              </span>
            </figcaption>
          </figure>
        )
      }}
    </Show>
  )
}

/** Speed reads the timings of the search out of the metrics. */
function Speed() {
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setTurn((n) => n + 1), 30_000)
    return () => clearInterval(timer)
  }, [])
  const of = useData(
    async (s) => quantiles(await (await request('GET', '/metrics', { signal: s })).text(), '/v1/search'),
    [],
  )
  useEffect(() => {
    if (turn) of.reload()
  }, [turn])
  return (
    <Show of={of} rows={2}>
      {(q) =>
        q.count ? (
          <dl class="flex gap-8">
            {(
              [
                ['p50', q.p50],
                ['p95', q.p95],
              ] as const
            ).map(([k, v]) => (
              <div key={k}>
                <dt class="label">{k}</dt>
                <dd class="num text-xl font-semibold">
                  {v === Infinity ? '…' : t('up_to_ms', number(v * 1000, v < 0.01 ? 1 : 0))}
                </dd>
              </div>
            ))}
            <div>
              <dt class="label">{t('searches')}</dt>
              <dd class="num text-xl font-semibold">{number(q.count)}</dd>
            </div>
          </dl>
        ) : (
          <p class="text-muted">{t('no_searches')}</p>
        )
      }
    </Show>
  )
}
function quantiles(text: string, route: string) {
  const buckets: [number, number][] = []
  for (const line of text.split('\n')) {
    if (!line.includes('_bucket{') || !line.includes(route + '"')) continue
    const le = /le="([^"]+)"/.exec(line)
    if (le) buckets.push([le[1] === '+Inf' ? Infinity : Number(le[1]), Number(line.slice(line.lastIndexOf(' ')))])
  }
  buckets.sort((a, b) => a[0] - b[0])
  const count = buckets.at(-1)?.[1] ?? 0
  const at = (p: number) => buckets.find(([, n]) => n >= count * p)?.[0] ?? 0
  return { count, p50: at(0.5), p95: at(0.95) }
}
