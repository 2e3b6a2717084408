import { forget } from '../lib/acts'
import { type Document, get } from '../lib/api'
import { useMore } from '../lib/data'
import { bytes, number } from '../lib/format'
import { mayWrite } from '../lib/me'
import { go, href, query, set } from '../lib/router'
import { t, type Word } from '../lib/strings'
import { Rows } from '../parts/list'
import { ContainerPick } from '../parts/pick'
import { Ago, Button, Container, Empty, fail, Head, Icon, type IconName } from '../parts/ui'

export const kindIcon = (type: string): IconName =>
  /image/.test(type)
    ? 'image'
    : /csv|sheet|excel|table/.test(type)
      ? 'table'
      : /html|web/.test(type)
        ? 'web'
        : /code|json|yaml|xml|toml/.test(type)
          ? 'code'
          : /mail|rfc822/.test(type)
            ? 'mail'
            : type === 'conversation'
              ? 'talk'
              : 'document'

export function Status({
  d,
}: {
  d: { status: string; chunk_count?: number; embedded_count?: number; reason?: string }
}) {
  if (d.status === 'done') return null
  const bad = d.status === 'failed'
  return (
    <span class={'badge ' + (bad ? 'text-danger' : 'text-warn')} title={d.reason}>
      <Icon name={bad ? 'warn' : 'episode'} size={14} />
      {t(('stage_' + d.status) as Word)}
      {!bad && d.chunk_count ? ` ${number(d.embedded_count)}/${number(d.chunk_count)}` : ''}
    </span>
  )
}

export default function Documents() {
  const q = query.value
  const filter = {
    container: q.get('container') || undefined,
    status: q.get('status') || undefined,
    tag: q.get('tag') || undefined,
    title: q.get('title') || undefined,
    content_type: q.get('type') || undefined,
  }
  const of = useMore<Document>(
    (offset, limit, s) => get('/v1/documents', { ...filter, offset, limit }, s) as never,
    [filter],
    ['document'],
  )
  const narrowed = Object.values(filter).some(Boolean)
  const pick = (name: string) => (v: string) => set({ [name]: v }, true)
  const remove = (d: Document) => forget('documents', [d.id], d.title).then(of.reload, fail)
  return (
    <>
      <Head title={t('nav_documents')} about={t('documents_about')}>
        {mayWrite.value && (
          <a class="btn btn-main" href={href('/upload')}>
            <Icon name="upload" />
            {t('nav_upload')}
          </a>
        )}
      </Head>
      <div class="mb-4 flex flex-wrap items-center gap-2">
        <ContainerPick value={q.get('container') ?? ''} pick={pick('container')} />
        <select
          class="field !w-auto"
          aria-label={t('state')}
          value={q.get('status') ?? ''}
          onChange={(e) => pick('status')(e.currentTarget.value)}
        >
          <option value="">{t('any_state')}</option>
          {['done', 'queued', 'extracting', 'chunking', 'embedding', 'distilling', 'indexing', 'failed'].map((x) => (
            <option key={x} value={x}>
              {t(('stage_' + x) as Word)}
            </option>
          ))}
        </select>
        {(['tag', 'title', 'type'] as const)
          .filter((n) => q.get(n))
          .map((n) => (
            <button
              key={n}
              type="button"
              class="chip"
              aria-pressed="true"
              title={t('remove_filter')}
              onClick={() => set({ [n]: null }, true)}
            >
              {q.get(n)}
              <Icon name="close" size={12} />
            </button>
          ))}
        {of.items && <span class="num ms-auto text-muted">{t('documents_n', of.total)}</span>}
      </div>
      <Rows
        of={of}
        label={t('nav_documents')}
        id={(d) => d.id}
        open={(d) => go('/documents/' + d.id)}
        remove={mayWrite.value ? remove : undefined}
        empty={
          narrowed ? (
            <Empty title={t('nothing_matches')}>
              <a class="link" href={href('/documents')}>
                {t('clear_filters')}
              </a>
            </Empty>
          ) : (
            <Empty title={t('no_documents')} command="lukasa add notes.md report.pdf ./folder">
              {t('no_documents_about')}
            </Empty>
          )
        }
        row={(d) => (
          <div class="flex items-start gap-3">
            <Icon name={kindIcon(d.content_type)} class="mt-0.5 text-muted" size={18} />
            <div class="min-w-0 grow">
              <a class="block font-medium hover:underline wrap-any" dir="auto" href={href('/documents/' + d.id)}>
                {d.title || t('untitled')}
              </a>
              {d.summary && (
                <p class="serif mt-0.5 line-clamp-2 text-muted wrap-any" dir="auto">
                  {d.summary}
                </p>
              )}
              <p class="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
                <Status d={d} />
                <Container path={d.container} />
                <span>{d.content_type}</span>
                <span class="num">{bytes(d.size)}</span>
                {d.version > 1 && <span>v{d.version}</span>}
                <Ago at={d.occurred_at || d.created_at} />
                {(d.tags ?? []).slice(0, 4).map((x) => (
                  <a
                    key={x}
                    class="inline-block min-h-6 max-w-40 truncate leading-6 hover:underline"
                    href={href('/documents?tag=' + encodeURIComponent(x))}
                  >
                    #{x}
                  </a>
                ))}
              </p>
            </div>
            {mayWrite.value && (
              <Button
                bare
                icon="trash"
                aria-label={t('forget_this', d.title)}
                title={t('forget')}
                onClick={() => remove(d)}
              />
            )}
          </div>
        )}
      />
    </>
  )
}
