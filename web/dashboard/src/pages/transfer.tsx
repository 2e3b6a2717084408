import { useRef, useState } from 'preact/hooks'
import { address, Fault, get } from '../lib/api'
import { useData } from '../lib/data'
import { number, percent } from '../lib/format'
import { mayWrite } from '../lib/me'
import { t, type Word } from '../lib/strings'
import { ContainerField, ContainerPick } from '../parts/pick'
import { Button, Head, Icon, Show, Trouble } from '../parts/ui'

type Tally = { new?: number; replaced?: number; unchanged?: number; failed?: number }
type Report = {
  title?: string
  kind?: string
  documents?: Tally | number
  memories?: Tally | number
  messages?: Tally | number
  conversations?: number
  edges?: number
  skipped?: number
  left_out?: Record<string, number>
  problems?: { where: string; reason: string }[]
  dry_run?: boolean
  seconds?: number
}

export default function Transfer() {
  return (
    <>
      <Head title={t('nav_transfer')} about={t('transfer_about')} />
      <div class="grid items-start gap-6 lg:grid-cols-[3fr_2fr]">
        {mayWrite.value ? <Import /> : <p class="card p-5 text-muted">{t('only_reads')}</p>}
        <div class="space-y-6">
          <Export />
          <Kinds />
        </div>
      </div>
    </>
  )
}

function Import() {
  const input = useRef<HTMLInputElement>(null)
  const [file, setFile] = useState<File>()
  const [kind, setKind] = useState(''),
    [container, setContainer] = useState(''),
    [who, setWho] = useState('')
  const [state, setState] = useState<{
    step: 'idle' | 'looking' | 'looked' | 'taking' | 'done'
    sent: number
    report?: Report
    error?: Fault
  }>({ step: 'idle', sent: 0 })
  const kinds = useData((s) => get('/v1/import/kinds', {}, s), [])
  const send = (f: File, dry: boolean) => {
    setState((s) => ({ step: dry ? 'looking' : 'taking', sent: 0, report: dry ? undefined : s.report }))
    const x = new XMLHttpRequest() // it tells how much is sent
    x.open(
      'POST',
      address('/v1/import', {
        name: f.name,
        kind,
        container: container.trim(),
        me: who.trim(),
        dry_run: dry || undefined,
      }),
    )
    x.setRequestHeader('X-Lukasa-Dashboard', '1')
    x.setRequestHeader('Content-Type', 'application/octet-stream')
    x.upload.onprogress = (e) => e.lengthComputable && setState((s) => ({ ...s, sent: e.loaded / e.total }))
    x.onload = () => {
      let body: { error?: { message: string; code: string; hint?: string } } & Report = {}
      try {
        body = JSON.parse(x.responseText)
      } catch {
        body = { error: { message: `${x.status}`, code: '' } }
      }
      if (body.error)
        setState({
          step: 'idle',
          sent: 0,
          error: new Fault(body.error.message, x.status, body.error.code, body.error.hint),
        })
      else setState({ step: dry ? 'looked' : 'done', sent: 1, report: body })
    }
    x.onerror = () => setState({ step: 'idle', sent: 0, error: new Fault(t('away')) })
    x.send(f)
  }
  const take = (f?: File) => {
    if (f) {
      setFile(f)
      send(f, true)
    }
  }
  const busy = state.step === 'looking' || state.step === 'taking'
  return (
    <section
      class="card p-5"
      onDragOver={(e) => e.preventDefault()}
      onDrop={(e) => {
        e.preventDefault()
        if (!busy) take(e.dataTransfer?.files[0])
      }}
    >
      <h2 class="mb-3 text-lg font-semibold">{t('import')}</h2>
      <div class="flex flex-col items-center rounded-md border border-dashed border-control p-7 text-center">
        <Icon name="transfer" size={26} class="text-muted" />
        <p class="mt-2 font-medium">{t('drop_export')}</p>
        <p class="text-muted">{t('drop_export_about')}</p>
        <Button class="mt-4" disabled={busy} onClick={() => input.current!.click()}>
          {t('choose_file')}
        </Button>
        <input
          ref={input}
          type="file"
          hidden
          data-testid="import"
          onChange={(e) => {
            take(e.currentTarget.files?.[0])
            e.currentTarget.value = ''
          }}
        />
      </div>
      <div class="mt-4 grid gap-4 sm:grid-cols-3">
        <label class="block">
          <span class="label">{t('tool')}</span>
          <select class="field mt-1" value={kind} onChange={(e) => setKind(e.currentTarget.value)}>
            <option value="">{t('found_out')}</option>
            {(kinds.data?.items ?? []).map((k) => (
              <option key={k.name} value={k.name}>
                {k.title}
              </option>
            ))}
          </select>
        </label>
        <label class="block">
          <span class="label">{t('container')}</span>
          <ContainerField value={container} put={setContainer} placeholder="imports" />
        </label>
        <label class="block">
          <span class="label">{t('my_name_there')}</span>
          <input class="field mt-1" placeholder="Ana" value={who} onInput={(e) => setWho(e.currentTarget.value)} />
        </label>
      </div>
      {busy && (
        <div class="mt-5" role="status">
          <p class="mb-1">
            {t(state.step === 'looking' ? 'looking_at' : 'taking_in', file?.name)}{' '}
            {state.sent < 1 ? percent(state.sent) : ''}
          </p>
          <progress
            class="h-1.5 w-full"
            max={1}
            value={state.sent < 1 ? state.sent : undefined}
            aria-label={t('progress_of', file?.name)}
          />
        </div>
      )}
      <Trouble error={state.error} />
      {state.report && !busy && (
        <div class="mt-5 border-t border-line pt-4" data-testid="report">
          <h3 class="font-semibold">
            {state.step === 'looked' ? t('would_take', file?.name) : t('has_taken', file?.name)}
          </h3>
          <ReportOf r={state.report} />
          {state.step === 'looked' && file && (
            <div class="mt-4 flex gap-2">
              <Button main onClick={() => send(file, false)}>
                {t('take_in')}
              </Button>
              <Button
                onClick={() => {
                  setState({ step: 'idle', sent: 0 })
                  setFile(undefined)
                }}
              >
                {t('cancel')}
              </Button>
              <Button onClick={() => take(file)}>{t('look_again')}</Button>
            </div>
          )}
        </div>
      )}
    </section>
  )
}

function ReportOf({ r }: { r: Report }) {
  const rows = (['documents', 'memories', 'messages'] as const)
    .map((k) => [k, typeof r[k] === 'number' ? { new: r[k] as number } : ((r[k] as Tally) ?? {})] as const)
    .filter(([, v]) => Object.values(v).some((n) => n))
  return (
    <>
      {r.title && (
        <p class="text-muted">
          {r.title}
          {r.conversations ? ` · ${t('conversations_n', r.conversations)}` : ''}
          {r.seconds !== undefined ? ` · ${number(r.seconds, 1)} s` : ''}
        </p>
      )}
      {rows.length > 0 ? (
        <table class="grid-table mt-2">
          <thead>
            <tr>
              <th />
              <th class="text-end">{t('new')}</th>
              <th class="text-end">{t('replaced_n')}</th>
              <th class="text-end">{t('unchanged')}</th>
              <th class="text-end">{t('failed')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(([k, v]) => (
              <tr key={k}>
                <th scope="row">{t(('nav_' + (k === 'messages' ? 'conversations' : k)) as Word)}</th>
                {(['new', 'replaced', 'unchanged', 'failed'] as const).map((x) => (
                  <td key={x} class="num text-end">
                    {number(v[x] ?? 0)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      ) : (
        <p class="mt-2">{t('nothing_new')}</p>
      )}
      {Object.keys(r.left_out ?? {}).length > 0 && (
        <p class="mt-2 text-muted">
          {t('left_out')}:{' '}
          {Object.entries(r.left_out!)
            .map(([k, n]) => `${k} ${number(n)}`)
            .join(' · ')}
        </p>
      )}
      {(r.problems ?? []).length > 0 && (
        <details class="mt-2">
          <summary class="text-warn">{t('problems_n', r.problems!.length)}</summary>
          <ul class="mt-1 list-disc ps-5">
            {r.problems!.slice(0, 50).map((p, i) => (
              <li key={i} class="wrap-any">
                {p.where}: {p.reason}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

function Export() {
  const [container, setContainer] = useState('')
  return (
    <section class="card p-5">
      <h2 class="mb-2 text-lg font-semibold">{t('export')}</h2>
      <p class="mb-4 text-muted">{t('export_about')}</p>
      <div class="flex flex-wrap gap-2">
        <ContainerPick value={container} pick={setContainer} />
        <a
          class="btn btn-main"
          href={address('/v1/export', { container })}
          download={`lukasa-${new Date().toISOString().slice(0, 10)}.jsonl`}
        >
          <Icon name="download" />
          {t('export')}
        </a>
      </div>
    </section>
  )
}

function Kinds() {
  const of = useData((s) => get('/v1/import/kinds', {}, s), [])
  return (
    <section class="card p-5">
      <h2 class="mb-2 text-lg font-semibold">{t('importers')}</h2>
      <Show of={of}>
        {(l) => (
          <ul class="max-h-96 divide-y divide-line overflow-y-auto" tabIndex={0} aria-label={t('importers')}>
            {(l.items ?? []).map((k) => (
              <li key={k.name} class="py-2">
                <p class="font-medium">{k.title}</p>
                <p class="text-muted">
                  {k.accepts}
                  {k.how && <> · {k.how}</>}
                </p>
              </li>
            ))}
          </ul>
        )}
      </Show>
    </section>
  )
}
