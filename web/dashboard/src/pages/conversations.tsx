import { forget } from '../lib/acts'
import { type Conversation, get, type RecallFile } from '../lib/api'
import { useMore } from '../lib/data'
import { mayWrite } from '../lib/me'
import { go, href, query, set } from '../lib/router'
import { t, type Word } from '../lib/strings'
import { Rows } from '../parts/list'
import { ContainerPick } from '../parts/pick'
import { Ago, Button, Container, Empty, fail, Head, Tabs } from '../parts/ui'

export default function Conversations() {
  const q = query.value,
    tab = q.get('tab') || 'talks'
  return (
    <>
      <Head title={t('nav_conversations')} about={t('conversations_about')} />
      <Tabs
        label={t('views')}
        at={tab}
        pick={(x) => set({ tab: x === 'talks' ? null : x }, true)}
        tabs={[
          { id: 'talks', label: t('nav_conversations') },
          { id: 'files', label: t('recall_files') },
        ]}
      />
      <div class="mb-4">
        <ContainerPick value={q.get('container') ?? ''} pick={(container) => set({ container }, true)} />
      </div>
      {tab === 'talks' ? (
        <Talks container={q.get('container') ?? ''} />
      ) : (
        <Files container={q.get('container') ?? ''} />
      )}
    </>
  )
}

export const talkHref = (c: { id: string; container: string }) =>
  `/conversations/${c.id}?container=${encodeURIComponent(c.container)}`

function Talks({ container }: { container: string }) {
  const of = useMore<Conversation>(
    (offset, limit, s) => get('/v1/conversations', { container: container || undefined, offset, limit }, s) as never,
    [container],
    ['message', 'conversation'],
  )
  const remove = (c: Conversation) => forget('conversations', [c.id], c.title || c.conversation).then(of.reload, fail)
  return (
    <Rows
      of={of}
      label={t('nav_conversations')}
      id={(c) => c.id}
      open={(c) => go(talkHref(c))}
      remove={mayWrite.value ? remove : undefined}
      empty={
        <Empty title={t('no_conversations')} command={`lukasa say hello "I moved to Lyon, and I prefer green tea."`}>
          {t('no_conversations_about')}
        </Empty>
      }
      row={(c) => (
        <div class="flex items-start gap-3">
          <div class="min-w-0 grow">
            <a class="font-medium hover:underline wrap-any" dir="auto" href={href(talkHref(c))}>
              {c.title || c.conversation}
            </a>
            <p class="mt-1 flex flex-wrap gap-x-3 text-xs text-muted">
              <Container path={c.container} />
              <span class="num">{t('messages_n', c.message_count)}</span>
              {c.tokens > 0 && <span class="num">{t('tokens_n', c.tokens)}</span>}
              <Ago at={c.updated_at} />
              {(c.tags ?? []).map((x) => (
                <span key={x}>#{x}</span>
              ))}
            </p>
          </div>
          {mayWrite.value && (
            <Button
              bare
              icon="trash"
              title={t('forget')}
              aria-label={t('forget_this', c.title || c.conversation)}
              onClick={() => remove(c)}
            />
          )}
        </div>
      )}
    />
  )
}

function Files({ container }: { container: string }) {
  const of = useMore<RecallFile>(
    (offset, limit, s) => get('/v1/recall-files', { container: container || undefined, offset, limit }, s) as never,
    [container],
    ['recall_file', 'message'],
  )
  return (
    <Rows
      of={of}
      label={t('recall_files')}
      id={(f) => f.id}
      open={(f) => go('/recall-files/' + f.id)}
      empty={<Empty title={t('no_recall_files')}>{t('no_recall_files_about')}</Empty>}
      row={(f) => (
        <>
          <a class="font-medium hover:underline wrap-any" dir="auto" href={href('/recall-files/' + f.id)}>
            {f.topic || f.conversation}
          </a>
          {f.summary && (
            <p class="serif mt-0.5 line-clamp-2 text-muted wrap-any" dir="auto">
              {f.summary}
            </p>
          )}
          <p class="mt-1 flex flex-wrap gap-x-3 text-xs text-muted">
            <span class="font-medium">{t(('segment_' + f.status) as Word)}</span>
            <span>{t(('tier_' + f.storage_state) as Word)}</span>
            <Container path={f.container} />
            <span class="num">{t('messages_n', f.message_count)}</span>
            <span class="num">{t('tokens_n', f.token_count)}</span>
            <Ago at={f.finalized_at || f.created_at} />
            {(f.keywords ?? []).slice(0, 5).map((k) => (
              <span key={k}>{k}</span>
            ))}
          </p>
        </>
      )}
    />
  )
}
