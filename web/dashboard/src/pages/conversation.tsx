import { useEffect, useState } from 'preact/hooks'
import { forget } from '../lib/acts'
import { type Conversation, get, json, type Message } from '../lib/api'
import { day, moment, time, weekday } from '../lib/format'
import { useData, useMore } from '../lib/data'
import { mayWrite } from '../lib/me'
import { opened } from '../lib/recent'
import { go, href, query } from '../lib/router'
import { t } from '../lib/strings'
import { Button, Confirm, Container, Dialog, fail, Icon, More, say, Show, Waiting } from '../parts/ui'

export default function ConversationPage({ id }: { id: string }) {
  const container = query.value.get('container') || undefined
  const of = useData(
    (s) => get('/v1/conversations/{id}', { container }, s, { id: id! }) as never as Promise<Conversation>,
    [id, container],
    ['message', 'conversation'],
  )
  return (
    <div class="mx-auto max-w-3xl">
      <a class="mb-5 inline-flex items-center gap-1.5 text-muted hover:text-text" href={href('/conversations')}>
        <Icon name="back" />
        {t('nav_conversations')}
      </a>
      <Show of={of} rows={8}>
        {(c) => <Talk c={c} reload={of.reload} />}
      </Show>
    </div>
  )
}

function Talk({ c, reload }: { c: Conversation; reload: () => void }) {
  const at = query.value.get('at')
  const of = useMore<Message>(
    (offset, limit, s) =>
      get('/v1/conversations/{id}/messages', { container: c.container, offset, limit }, s, { id: c.id }) as never,
    [c.id],
    ['message'],
    100,
  )
  const [naming, setNaming] = useState(false)
  const [ending, setEnding] = useState(false)
  const [dropping, setDropping] = useState<Message>()
  const name = c.title || c.conversation
  useEffect(
    () =>
      opened({ to: `/conversations/${c.id}?container=${encodeURIComponent(c.container)}`, label: name, icon: 'talk' }),
    [c.id],
  )
  const list = of.items ?? []
  const there = !at || list.some((m) => m.id === at)
  useEffect(() => {
    if (!there && list.length < of.total && !of.busy) of.more()
  }, [there, list.length, of.busy])
  useEffect(() => {
    if (there && at) document.getElementById(at)?.scrollIntoView({ block: 'center' })
  }, [there, at])
  const end = async () => {
    const f = await json<{ id: string }>('POST', `/v1/conversations/${c.id}/end`, { query: { container: c.container } })
    say(t('ended'))
    go('/recall-files/' + f.id)
  }
  let lastDay = ''
  return (
    <article>
      <header class="mb-6">
        <p class="flex flex-wrap gap-x-3 text-muted">
          <Container path={c.container} />
          <span class="num">{t('messages_n', c.message_count)}</span>
          {c.tokens > 0 && <span class="num">{t('tokens_n', c.tokens)}</span>}
        </p>
        <h1 class="mt-2 text-2xl font-semibold tracking-tight wrap-any" dir="auto">
          {name}
        </h1>
        {c.title && c.title !== c.conversation && <p class="mono text-muted wrap-any">{c.conversation}</p>}
        <div class="mt-4 flex flex-wrap gap-2">
          {mayWrite.value && (
            <Button icon="edit" onClick={() => setNaming(true)}>
              {t('rename')}
            </Button>
          )}
          {mayWrite.value && (
            <Button icon="check" onClick={() => setEnding(true)}>
              {t('end_conversation')}
            </Button>
          )}
          <a class="btn" href={href('/recall-files/' + c.document_id)}>
            <Icon name="document" />
            {t('recall_file')}
          </a>
          {mayWrite.value && (
            <Button
              icon="trash"
              danger
              onClick={() => forget('conversations', [c.id], name).then(() => go('/conversations'), fail)}
            >
              {t('forget')}
            </Button>
          )}
        </div>
      </header>
      {!of.items ? (
        <Waiting rows={8} />
      ) : (
        <ol class="space-y-1">
          {list.map((m) => {
            const d = day(m.time || m.created_at),
              fresh = d !== lastDay
            lastDay = d
            return (
              <li key={m.id} id={m.id}>
                {fresh && (
                  <p class="pt-4 pb-2 text-center text-xs font-medium text-muted">{weekday(m.time || m.created_at)}</p>
                )}
                <div class={`group flex gap-4 rounded-md px-3 py-2 ${m.id === at ? 'bg-mark' : 'hover:bg-sunken'}`}>
                  <div class="w-24 shrink-0 text-xs">
                    <p class="truncate font-medium" dir="auto" title={m.speaker}>
                      {m.speaker || m.role}
                    </p>
                    <time class="text-muted" dateTime={m.time} title={moment(m.time)}>
                      {time(m.time || m.created_at)}
                    </time>
                  </div>
                  <p
                    class={`serif min-w-0 grow whitespace-pre-wrap wrap-any ${m.role === 'assistant' ? 'text-muted' : ''} ${m.id === at ? '!text-text' : ''}`}
                    dir="auto"
                  >
                    {m.content}
                  </p>
                  {mayWrite.value && (
                    <Button
                      bare
                      icon="trash"
                      class="opacity-0 group-hover:opacity-100 focus:opacity-100"
                      title={t('forget')}
                      aria-label={t('forget_this', m.content.slice(0, 60))}
                      onClick={() => setDropping(m)}
                    />
                  )}
                </div>
              </li>
            )
          })}
        </ol>
      )}
      <More shown={list.length} total={of.total} busy={of.busy} more={of.more} />
      {naming && <Rename c={c} close={() => setNaming(false)} done={reload} />}
      {dropping && (
        <Confirm
          title={t('forget_message')}
          body={
            <>
              <p class="serif" dir="auto">
                {dropping.content}
              </p>
              <p class="mt-3 text-muted">{t('forget_message_about')}</p>
            </>
          }
          label={t('delete_for_good')}
          act={() => json('DELETE', '/v1/messages/' + dropping.id).then(of.reload)}
          close={() => setDropping(undefined)}
        />
      )}
      {ending && (
        <Confirm
          title={t('end_conversation')}
          body={t('end_about')}
          label={t('end_conversation')}
          act={end}
          close={() => setEnding(false)}
        />
      )}
    </article>
  )
}

function Rename({ c, close, done }: { c: Conversation; close: () => void; done: () => void }) {
  const [title, setTitle] = useState(c.title ?? '')
  const [tags, setTags] = useState((c.tags ?? []).join(', '))
  const save = async (e: Event) => {
    e.preventDefault()
    try {
      await json('PATCH', `/v1/conversations/${c.id}`, {
        query: { container: c.container },
        body: {
          title: title.trim(),
          tags: tags
            .split(',')
            .map((x) => x.trim())
            .filter(Boolean),
        },
      })
      close()
      say(t('saved'))
      done()
    } catch (err) {
      fail(err)
    }
  }
  return (
    <Dialog title={t('rename')} close={close}>
      <form class="space-y-4" onSubmit={save}>
        <label class="block">
          <span class="label">{t('title')}</span>
          <input
            class="field mt-1"
            dir="auto"
            value={title}
            onInput={(e) => setTitle(e.currentTarget.value)}
            autofocus
          />
        </label>
        <label class="block">
          <span class="label">{t('tags_commas')}</span>
          <input class="field mt-1" value={tags} onInput={(e) => setTags(e.currentTarget.value)} />
        </label>
        <div class="flex justify-end gap-2">
          <Button onClick={close}>{t('cancel')}</Button>
          <Button main type="submit">
            {t('save')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
