import { useEffect, useState } from 'preact/hooks'
import { type Brief, Fault, type Found, json } from '../lib/api'
import { number, percent } from '../lib/format'
import { query, set } from '../lib/router'
import { t, type Word } from '../lib/strings'
import { hitIcon, ScoreBar } from '../parts/hits'
import { ContainerPick } from '../parts/pick'
import { Button, Command, Container, Head, Icon, Meter, Trouble, Waiting } from '../parts/ui'

const rankers = ['lukasa', 'weighted', 'cascade', 'vector', 'text', 'rrf']
interface Run {
  found: Found
  ms: number
}

/** The playground shows what an agent would be given, and how it came about. */
export default function Playground() {
  const q = query.value,
    asked = q.get('q') ?? '',
    tokens = Number(q.get('tokens')) || 600,
    container = q.get('container') ?? '',
    a = q.get('a') || 'lukasa',
    b = q.get('b') ?? '',
    defining = q.get('defining') !== '0',
    session = q.get('session') ?? ''
  const [text, setText] = useState(asked)
  const [got, setGot] = useState<{ brief?: Brief; runs?: Run[]; error?: Fault; busy?: boolean }>({})
  useEffect(() => setText(asked), [asked])
  useEffect(() => {
    if (!asked) {
      setGot({})
      return
    }
    const stop = new AbortController(),
      { signal } = stop
    setGot((g) => ({ ...g, busy: true, error: undefined }))
    const where = container ? { container } : {}
    const find = async (ranker: string): Promise<Run> => {
      const t0 = performance.now()
      const found = await json<Found>('POST', '/v1/search', {
        body: { query: asked, limit: 10, ranker, ...where, include: ['explain'] },
        signal,
      })
      return { found, ms: performance.now() - t0 }
    }
    Promise.all([
      json<Brief>('POST', '/v1/brief', {
        body: { query: asked, max_tokens: tokens, include_defining: defining, session: session || undefined, ...where },
        signal,
      }),
      find(a),
      ...(b ? [find(b)] : []),
    ]).then(
      ([brief, ...runs]) => {
        if (!signal.aborted) setGot({ brief: brief as Brief, runs: runs as Run[] })
      },
      (error) => {
        if (!signal.aborted) setGot({ error })
      },
    )
    return () => stop.abort()
  }, [asked, tokens, container, a, b, defining, session])
  return (
    <>
      <Head title={t('nav_playground')} about={t('playground_about')} />
      <form
        class="card space-y-4 p-5"
        onSubmit={(e) => {
          e.preventDefault()
          set({ q: text.trim() }, true)
        }}
      >
        <div class="flex gap-2">
          <input
            class="field !min-h-10 text-lg"
            dir="auto"
            aria-label={t('question')}
            placeholder={t('question_hint')}
            value={text}
            onInput={(e) => setText(e.currentTarget.value)}
            autofocus
          />
          <Button main type="submit" disabled={!text.trim()}>
            {t('recall')}
          </Button>
        </div>
        <div class="flex flex-wrap items-end gap-x-5 gap-y-3">
          <label class="block">
            <span class="label">{t('budget', tokens)}</span>
            <input
              class="mt-2 block w-48"
              type="range"
              min={100}
              max={4000}
              step={100}
              value={tokens}
              onChange={(e) => set({ tokens: e.currentTarget.value })}
            />
          </label>
          <label class="block">
            <span class="label mb-1 block">{t('container')}</span>
            <ContainerPick value={container} pick={(v) => set({ container: v })} />
          </label>
          <label class="block">
            <span class="label mb-1 block">{t('ranker')}</span>
            <select class="field !w-auto" value={a} onChange={(e) => set({ a: e.currentTarget.value })}>
              {rankers.map((r) => (
                <option key={r} value={r}>
                  {t(('mode_' + r) as Word)}
                </option>
              ))}
            </select>
          </label>
          <label class="block">
            <span class="label mb-1 block">{t('compare_with')}</span>
            <select class="field !w-auto" value={b} onChange={(e) => set({ b: e.currentTarget.value })}>
              <option value="">{t('nothing')}</option>
              {rankers
                .filter((r) => r !== a)
                .map((r) => (
                  <option key={r} value={r}>
                    {t(('mode_' + r) as Word)}
                  </option>
                ))}
            </select>
          </label>
          <label class="block">
            <span class="label mb-1 block">{t('session')}</span>
            <input
              class="field !w-36"
              placeholder={t('none')}
              value={session}
              onChange={(e) => set({ session: e.currentTarget.value.trim() })}
              title={t('session_about')}
            />
          </label>
          <label class="flex min-h-8 items-center gap-2">
            <input type="checkbox" checked={defining} onChange={() => set({ defining: defining ? '0' : null })} />
            {t('with_defining')}
          </label>
        </div>
      </form>
      <Trouble error={got.error} />
      {got.busy && !got.brief ? (
        <div class="mt-6">
          <Waiting rows={8} />
        </div>
      ) : (
        got.brief &&
        got.runs && (
          <div class={`mt-6 space-y-6 ${got.busy ? 'opacity-60' : ''}`}>
            <section class="card p-5">
              <h2 class="mb-3 font-semibold">{t('brief_is')}</h2>
              <BriefOf brief={got.brief} tokens={tokens} />
            </section>
            <div class={`grid gap-6 ${got.runs.length > 1 ? 'lg:grid-cols-2' : ''}`}>
              {got.runs.map((r) => (
                <RunOf key={r.found.stats.ranker} r={r} other={got.runs!.find((x) => x !== r)} />
              ))}
            </div>
          </div>
        )
      )}
    </>
  )
}

function BriefOf({ brief, tokens }: { brief: Brief; tokens: number }) {
  const out = Map.groupBy(brief.left_out ?? [], (x) => x.reason)
  return (
    <>
      <p class="flex flex-wrap items-center gap-3">
        <Meter value={(brief.tokens ?? 0) / tokens} label={t('budget', tokens)} class="w-48" />
        <span class="num">{t('tokens_of', brief.tokens ?? 0, tokens)}</span>
        <span class="num text-muted">{t('lines_n', (brief.hits ?? []).length)}</span>
      </p>
      {brief.message && <p class="mt-2 text-muted">{brief.message}</p>}
      {brief.text ? (
        <div class="mt-4">
          <Command text={brief.text} wrap />
        </div>
      ) : (
        <p class="mt-4 text-muted">{t('brief_empty')}</p>
      )}
      {out.size > 0 && (
        <>
          <h3 class="mt-5 mb-2 font-semibold">{t('left_out')}</h3>
          <ul class="flex flex-wrap gap-2">
            {[...out].map(([reason, list]) => (
              <li key={reason} class="chip" title={list.map((x) => x.id).join('\n')}>
                {t(('out_' + reason) as Word)} <b class="num font-medium">{list.length}</b>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

function RunOf({ r, other }: { r: Run; other?: Run }) {
  const stages = Object.entries(r.found.stats.stage_ms ?? {}).sort((x, y) => y[1] - x[1]),
    all = stages.reduce((s, [, ms]) => s + ms, 0) || 1
  const rank = new Map((other?.found.results ?? []).map((h, i) => [h.id, i]))
  return (
    <section class="card min-w-0 p-5">
      <h2 class="mb-1 font-semibold">
        {t('ranker')}: {t(('mode_' + r.found.stats.ranker) as Word)}
      </h2>
      <p class="num mb-3 text-muted">
        {t(
          'run_stats',
          r.found.stats.candidates ?? 0,
          r.found.stats.nodes ?? 0,
          number(r.found.stats.took_ms, 1),
          number(r.ms, 0),
        )}
        {r.found.stats.cached && ` · ${t('cached')}`}
      </p>
      <table class="mb-5 w-full">
        <caption class="sr-only">{t('stages')}</caption>
        <tbody>
          {stages.map(([name, ms]) => (
            <tr key={name}>
              <th scope="row" class="w-28 py-0.5 text-start font-normal text-muted">
                {name}
              </th>
              <td class="py-0.5">
                <Meter value={ms / all} label={name} class="w-full" tone="bg-control" />
              </td>
              <td class="mono w-20 py-0.5 text-end">{number(ms, 2)} ms</td>
            </tr>
          ))}
        </tbody>
      </table>
      <ol class="space-y-2.5">
        {(r.found.results ?? []).map((h, i) => {
          const was = rank.get(h.id)
          return (
            <li key={h.id} class="flex gap-3">
              <span class="num w-5 shrink-0 text-end text-muted">{i + 1}</span>
              <div class="min-w-0 grow">
                <p class="serif line-clamp-2 wrap-any" dir="auto">
                  {h.content}
                </p>
                <p class="mt-0.5 flex flex-wrap items-center gap-x-3 text-xs text-muted">
                  <Icon name={hitIcon(h)} size={13} />
                  <Container path={h.container} />
                  <ScoreBar hit={h} />
                  <span class="mono">{number(h.score, 3)}</span>
                  <span>{percent(h.relevance)}</span>
                  {other && (
                    <span class={was === undefined ? 'text-warn' : ''}>
                      {was === undefined ? t('only_here') : was === i ? '=' : was > i ? `↑${was - i}` : `↓${i - was}`}
                    </span>
                  )}
                </p>
              </div>
            </li>
          )
        })}
      </ol>
    </section>
  )
}
