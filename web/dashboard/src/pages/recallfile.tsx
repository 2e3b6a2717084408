import { get, type Memory, type RecallFile } from '../lib/api'
import { useData } from '../lib/data'
import { bytes, moment } from '../lib/format'
import { href, query, set } from '../lib/router'
import { t, type Word } from '../lib/strings'
import { Command, Container, Facts, Icon, KindBadge, Show, Tabs } from '../parts/ui'

export default function RecallFilePage({ id }: { id: string }) {
  const of = useData(
    (s) =>
      get('/v1/recall-files/{id}', { include: 'transcript,artifacts,keywords' }, s, {
        id: id!,
      }) as never as Promise<RecallFile>,
    [id],
    ['recall_file', 'message'],
  )
  return (
    <div class="mx-auto max-w-3xl">
      <a
        class="mb-5 inline-flex items-center gap-1.5 text-muted hover:text-text"
        href={href('/conversations?tab=files')}
      >
        <Icon name="back" />
        {t('recall_files')}
      </a>
      <Show of={of} rows={8}>
        {(f) => <File f={f} />}
      </Show>
    </div>
  )
}

function File({ f }: { f: RecallFile }) {
  const tab = query.value.get('tab') || 'summary'
  const memories = useData((s) => get('/v1/memories', { document_id: f.id, limit: 100 }, s), [f.id], ['memory'])
  return (
    <article>
      <header class="mb-5">
        <p class="flex flex-wrap gap-x-3 text-muted">
          <span class="font-medium">{t(('segment_' + f.status) as Word)}</span>
          <span>{t(('tier_' + f.storage_state) as Word)}</span>
          <Container path={f.container} />
        </p>
        <h1 class="mt-2 text-2xl font-semibold tracking-tight wrap-any" dir="auto">
          {f.topic || f.conversation}
        </h1>
        <a
          class="btn mt-4"
          href={href(`/conversations/${f.conversation_id}?container=${encodeURIComponent(f.container)}`)}
        >
          <Icon name="talk" />
          {t('open_conversation')}
        </a>
      </header>
      <Tabs
        label={t('views')}
        at={tab}
        pick={(x) => set({ tab: x === 'summary' ? null : x })}
        tabs={[
          { id: 'summary', label: t('summary') },
          { id: 'memories', label: t('nav_memories'), count: memories.data?.total },
          { id: 'transcript', label: t('transcript') },
          { id: 'artifacts', label: t('artifacts'), count: (f.artifacts ?? []).length },
          { id: 'json', label: 'JSON' },
        ]}
      />
      {tab === 'summary' && (
        <>
          <p class="serif mb-5 whitespace-pre-wrap wrap-any" dir="auto">
            {f.summary || t('summary_later')}
          </p>
          <Facts
            rows={[
              [
                t('keywords'),
                (f.keywords ?? []).length > 0 && (
                  <span class="flex flex-wrap gap-1.5">
                    {f.keywords.map((k) => (
                      <a key={k} class="chip" href={href('/search?q=' + encodeURIComponent(k))}>
                        {k}
                      </a>
                    ))}
                  </span>
                ),
              ],
              [
                t('names'),
                (f.linked_nodes ?? []).length > 0 && (
                  <span class="flex flex-wrap gap-1.5">
                    {f.linked_nodes.map((n) => (
                      <a key={n.id} class="chip" href={href('/people?q=' + encodeURIComponent(n.name))}>
                        {n.name}
                      </a>
                    ))}
                  </span>
                ),
              ],
              [t('begun'), moment(f.created_at)],
              [t('closed_on'), f.finalized_at && moment(f.finalized_at)],
              [t('why_closed'), [f.trigger, f.trigger_detail].filter(Boolean).join(': ')],
              [t('size'), `${t('messages_n', f.message_count)} · ${t('tokens_n', f.token_count)}`],
              [t('folder'), f.folder_name && <code class="mono">{f.folder_name}</code>],
              [t('id'), <code class="mono">{f.id}</code>],
            ]}
          />
        </>
      )}
      {tab === 'memories' && (
        <Show of={memories}>
          {(l) =>
            l.items?.length ? (
              <ul class="card divide-y divide-line">
                {(l.items as Memory[]).map((m) => (
                  <li key={m.id} class="px-4 py-3">
                    <KindBadge kind={m.kind} />
                    <a class="serif block hover:underline wrap-any" dir="auto" href={href({ peek: m.id })}>
                      {m.content}
                    </a>
                  </li>
                ))}
              </ul>
            ) : (
              <p class="text-muted">{t('no_memories_here')}</p>
            )
          }
        </Show>
      )}
      {tab === 'transcript' &&
        (f.transcript ? (
          <pre class="serif whitespace-pre-wrap wrap-any" dir="auto">
            {f.transcript}
          </pre>
        ) : (
          <p class="text-muted">{t('no_transcript')}</p>
        ))}
      {tab === 'artifacts' &&
        ((f.artifacts ?? []).length ? (
          <ul class="card divide-y divide-line">
            {f.artifacts.map((a) => (
              <li key={a.name} class="flex items-center gap-3 px-4 py-3">
                <Icon name="document" class="text-muted" />
                <a class="link wrap-any" href={a.url} download={a.name}>
                  {a.name}
                </a>
                <span class="num ms-auto text-muted">{bytes(a.size)}</span>
              </li>
            ))}
          </ul>
        ) : (
          <p class="text-muted">{t('no_artifacts')}</p>
        ))}
      {tab === 'json' && <Command text={JSON.stringify({ ...f, transcript: undefined }, null, 2)} />}
    </article>
  )
}
