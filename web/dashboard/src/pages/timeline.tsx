import { useMemo } from 'preact/hooks'
import { type Document, get, json, type Listing, type Memory } from '../lib/api'
import { useData } from '../lib/data'
import { day, number, weekday } from '../lib/format'
import { useKeys } from '../lib/keys'
import { href, query, set } from '../lib/router'
import { language, t } from '../lib/strings'
import { ContainerPick } from '../parts/pick'
import { Button, Container, Empty, Head, Icon, KindBadge, Show } from '../parts/ui'
import { kindIcon } from './documents'

type Entry = { at: string; m?: Memory; d?: Document }
const most = 1000

export default function Timeline() {
  const q = query.value,
    container = q.get('container') ?? '',
    asOf = q.get('as_of') ?? '',
    month = /^\d{4}-\d{2}$/.test(q.get('month') ?? '') ? q.get('month')! : day(new Date().toISOString()).slice(0, 7)
  const [y, m] = month.split('-').map(Number) as [number, number]
  const from = new Date(y, m - 1, 1).toISOString(),
    to = new Date(y, m, 1).toISOString()
  const of = useData(
    async (s) => {
      const out: Entry[] = []
      let total = 0
      for (let offset = 0; offset < most; offset += 100) {
        const l = await get(
          '/v1/memories',
          { container: container || undefined, from, to, as_of: asOf || undefined, offset, limit: 100 },
          s,
        )
        for (const x of l.items ?? []) out.push({ at: x.occurred_at || x.recorded_at, m: x as Memory })
        total = l.total
        if (offset + 100 >= total) break
      }
      for (let offset = 0; offset < most; offset += 100) {
        const l = await json<Listing<Document>>('POST', '/v1/documents/list', {
          body: {
            container: container || undefined,
            after: from,
            before: to,
            as_of: asOf || undefined,
            offset,
            limit: 100,
          },
          signal: s,
        })
        for (const d of l.items ?? [])
          if (d.content_type !== 'conversation') out.push({ at: d.occurred_at || d.created_at, d })
        if (offset + 100 >= l.total) break
      }
      return { list: out.sort((a, b) => b.at.localeCompare(a.at)), cut: total > most }
    },
    [container, month, asOf],
    asOf ? [] : ['memory', 'document'],
  )
  const shift = (by: number) => {
    const d = new Date(y, m - 1 + by, 1)
    set({ month: `${d.getFullYear()}-${String(d.getMonth() + 1).padStart(2, '0')}` }, true)
  }
  useKeys({ h: () => shift(-1), l: () => shift(1), j: () => jump(1), k: () => jump(-1) })
  const name = new Intl.DateTimeFormat(language.value, { month: 'long', year: 'numeric' }).format(new Date(y, m - 1, 1))
  return (
    <>
      <Head title={t('nav_timeline')} about={t('timeline_about')} />
      <div class="mb-5 flex flex-wrap items-center gap-3">
        <div class="flex items-center gap-1">
          <Button bare icon="back" aria-label={t('month_before')} title={t('month_before')} onClick={() => shift(-1)} />
          <input
            class="field !w-auto"
            type="month"
            aria-label={t('month')}
            value={month}
            onInput={(e) => e.currentTarget.value && set({ month: e.currentTarget.value }, true)}
          />
          <Button bare icon="right" aria-label={t('month_after')} title={t('month_after')} onClick={() => shift(1)} />
        </div>
        <ContainerPick value={container} pick={(v) => set({ container: v }, true)} />
        <label class="flex items-center gap-2">
          <span class="text-muted">{t('as_known_on')}</span>
          <input
            class="field !w-auto"
            type="date"
            value={asOf}
            onInput={(e) => set({ as_of: e.currentTarget.value }, true)}
          />
          {asOf && (
            <Button bare icon="close" aria-label={t('remove_filter')} onClick={() => set({ as_of: null }, true)} />
          )}
        </label>
      </div>
      {asOf && (
        <p class="mb-4 flex gap-2 rounded-md bg-tint px-3 py-2">
          <Icon name="history" class="mt-0.5 text-accent" />
          {t('as_known_about', weekday(asOf + 'T12:00:00'))}
        </p>
      )}
      <Show of={of} rows={8}>
        {({ list, cut }) => (
          <div class="grid gap-8 lg:grid-cols-[1fr_17rem]">
            <div class="min-w-0 max-lg:order-2">
              {list.length ? (
                <Days list={list} />
              ) : (
                <Empty title={t('quiet_month', name)}>{t('quiet_month_about')}</Empty>
              )}
              {cut && <p class="mt-3 text-muted">{t('cut_at', most)}</p>}
            </div>
            <aside aria-label={t('calendar')}>
              <Calendar y={y} m={m} name={name} list={list} />
            </aside>
          </div>
        )}
      </Show>
    </>
  )
}

function jump(by: number) {
  const heads = [...document.querySelectorAll<HTMLElement>('[data-day]')]
  const at = heads.findLastIndex((h) => h.getBoundingClientRect().top < 120)
  heads[Math.max(0, Math.min(heads.length - 1, at + by))]?.scrollIntoView({ block: 'start' })
}

function Days({ list }: { list: Entry[] }) {
  const days = useMemo(() => Map.groupBy(list, (x) => day(x.at)), [list])
  return (
    <div class="space-y-7">
      {[...days].map(([d, entries]) => {
        const docs = entries.filter((x) => x.d),
          rest = entries.filter((x) => x.m)
        return (
          <section key={d} id={'day-' + d} data-day={d} class="scroll-mt-16">
            <h2 class="mb-2 font-semibold">
              {relative(d)} <span class="num ms-1 font-normal text-muted">{number(entries.length)}</span>
            </h2>
            <ul class="card divide-y divide-line">
              {docs.length > 6 ? (
                <li class="px-4 py-2.5">
                  <details>
                    <summary>{t('documents_n', docs.length)}</summary>
                    <ul class="mt-2 space-y-1.5">
                      {docs.map((x) => (
                        <Doc key={x.d!.id} d={x.d!} />
                      ))}
                    </ul>
                  </details>
                </li>
              ) : (
                docs.map((x) => (
                  <li key={x.d!.id} class="px-4 py-2.5">
                    <Doc d={x.d!} />
                  </li>
                ))
              )}
              {rest.map(({ m }) => (
                <li key={m!.id} class="px-4 py-2.5">
                  <a
                    class={`serif wrap-any hover:underline ${m!.is_latest ? '' : 'text-muted'}`}
                    dir="auto"
                    href={href({ peek: m!.id })}
                  >
                    {m!.content}
                  </a>
                  <p class="mt-0.5 flex flex-wrap gap-x-3 text-xs text-muted">
                    <KindBadge kind={m!.kind} />
                    {!m!.is_latest && (
                      <span class="badge">
                        <Icon name="history" size={13} />
                        {t('state_superseded')}
                      </span>
                    )}
                    <Container path={m!.container} />
                  </p>
                </li>
              ))}
            </ul>
          </section>
        )
      })}
    </div>
  )
}
const Doc = ({ d }: { d: Document }) => (
  <span class="flex items-center gap-2">
    <Icon name={kindIcon(d.content_type)} class="text-muted" />
    <a class="font-medium hover:underline wrap-any" dir="auto" href={href('/documents/' + d.id)}>
      {d.title || t('untitled')}
    </a>
    <span class="ms-auto text-xs">
      <Container path={d.container} />
    </span>
  </span>
)

function relative(d: string) {
  const days = Math.round((Date.parse(day(new Date().toISOString())) - Date.parse(d)) / 86400e3)
  const long = weekday(d + 'T12:00:00')
  return days === 0 ? t('today', long) : days === 1 ? t('yesterday', long) : long
}

function Calendar({ y, m, name, list }: { y: number; m: number; name: string; list: Entry[] }) {
  const counts = useMemo(() => {
    const c = new Map<string, number>()
    for (const x of list) c.set(day(x.at), (c.get(day(x.at)) ?? 0) + 1)
    return c
  }, [list])
  const busiest = Math.max(1, ...counts.values())
  const lead = (new Date(y, m - 1, 1).getDay() + 6) % 7,
    size = new Date(y, m, 0).getDate()
  const names = Array.from({ length: 7 }, (_, i) =>
    new Intl.DateTimeFormat(language.value, { weekday: 'narrow' }).format(new Date(2024, 0, 1 + i)),
  )
  return (
    <div class="card p-4 lg:sticky lg:top-16">
      <p class="mb-3 font-medium">{name}</p>
      <div class="grid grid-cols-7 gap-1 text-center text-xs">
        {names.map((n, i) => (
          <span key={i} class="text-muted" aria-hidden="true">
            {n}
          </span>
        ))}
        {Array.from({ length: lead }, (_, i) => (
          <span key={'x' + i} />
        ))}
        {Array.from({ length: size }, (_, i) => {
          const d = `${y}-${String(m).padStart(2, '0')}-${String(i + 1).padStart(2, '0')}`,
            n = counts.get(d) ?? 0
          const tone =
            n === 0
              ? 'bg-sunken text-muted'
              : n / busiest > 0.66
                ? 'bg-accent text-onaccent'
                : n / busiest > 0.25
                  ? 'bg-accent/40 text-text'
                  : 'bg-accent/20 text-text'
          return n ? (
            <a
              key={d}
              href={`#day-${d}`}
              class={'num grid min-h-7 place-items-center rounded ' + tone}
              aria-label={`${weekday(d + 'T12:00:00')}: ${number(n)}`}
              onClick={(e) => {
                e.preventDefault()
                document.getElementById('day-' + d)?.scrollIntoView()
              }}
            >
              {i + 1}
            </a>
          ) : (
            <span key={d} class={'num grid min-h-7 place-items-center rounded ' + tone}>
              {i + 1}
            </span>
          )
        })}
      </div>
    </div>
  )
}
