import { useEffect } from 'preact/hooks'
import { get, json } from '../lib/api'
import { useMore } from '../lib/data'
import { moment } from '../lib/format'
import { mayWrite } from '../lib/me'
import { href, query, set } from '../lib/router'
import { t, type Word } from '../lib/strings'
import { Rows } from '../parts/list'
import { Ago, Button, Container, Empty, fail, Head, Icon, say, Seg } from '../parts/ui'

type Task = {
  job_id: string
  kind: string
  state: string
  status: string
  record_id: string
  document_id: string
  title: string
  container: string
  attempt: number
  reason: string
  run_at: string
  updated_at: string
}
export default function Jobs() {
  const state = query.value.get('state') ?? ''
  const of = useMore<Task>(
    (offset, limit, s) => get('/v1/jobs', { state: state || undefined, offset, limit }, s) as never,
    [state],
    ['document'],
  )
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden && of.total > 0) of.reload()
    }, 4000)
    return () => clearInterval(timer)
  }, [of.total])
  const retry = (body: { ids?: string[]; all?: boolean }) =>
    json<{ retried?: number }>('POST', '/v1/jobs/retry', { body }).then(() => {
      say(t('retried'))
      of.reload()
    }, fail)
  return (
    <>
      <Head title={t('nav_jobs')} about={t('jobs_about')}>
        {mayWrite.value && of.total > 0 && (
          <Button icon="undo" onClick={() => retry({ all: true })}>
            {t('retry_all')}
          </Button>
        )}
      </Head>
      <div class="mb-4">
        <Seg
          label={t('state')}
          value={state}
          pick={(x) => set({ state: x }, true)}
          options={['', 'waiting', 'running', 'failed'].map((id) => ({
            id,
            label: t((id ? 'job_' + id : 'all') as Word),
          }))}
        />
      </div>
      <Rows
        of={of}
        label={t('nav_jobs')}
        id={(j) => j.job_id || j.record_id}
        empty={<Empty title={t('no_jobs')}>{t('no_jobs_about')}</Empty>}
        row={(j) => (
          <div class="flex flex-wrap items-start gap-x-3 gap-y-1">
            <Icon
              name={j.state === 'failed' || j.state === 'dead' ? 'warn' : 'episode'}
              class={'mt-0.5 ' + (j.state === 'failed' || j.state === 'dead' ? 'text-danger' : 'text-muted')}
            />
            <div class="min-w-0 grow">
              <a
                class="font-medium hover:underline wrap-any"
                dir="auto"
                href={href('/documents/' + (j.document_id || j.record_id))}
              >
                {j.title || j.record_id}
              </a>
              {j.reason && <p class="text-danger wrap-any">{j.reason}</p>}
              <p class="flex flex-wrap gap-x-3 text-xs text-muted">
                <span>{t(('job_' + j.state) as Word)}</span>
                <span>{t(('stage_' + j.status) as Word)}</span>
                <span>{j.kind}</span>
                {j.attempt > 0 && <span>{t('attempt_n', j.attempt)}</span>}
                {j.run_at && Date.parse(j.run_at) > Date.now() && <span>{t('next_try', moment(j.run_at))}</span>}
                <Container path={j.container} />
                <Ago at={j.updated_at} />
              </p>
            </div>
            {mayWrite.value && (j.document_id || j.record_id) && (
              <Button onClick={() => retry({ ids: [j.document_id || j.record_id] })}>{t('again')}</Button>
            )}
          </div>
        )}
      />
    </>
  )
}
