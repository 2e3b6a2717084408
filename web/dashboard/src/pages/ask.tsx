import { useEffect, useRef, useState } from 'preact/hooks'
import { Fault, get, request } from '../lib/api'
import { useData } from '../lib/data'
import { date, percent } from '../lib/format'
import { href } from '../lib/router'
import { t } from '../lib/strings'
import { ContainerPick } from '../parts/pick'
import { Button, Command, Empty, Head, Icon, Show, Trouble } from '../parts/ui'

interface Used {
  id: string
  type: string
  topic: string
  date: string
  relevance_score: number
  recall_file_id: string
}
interface Turn {
  question: string
  answer: string
  used: Used[]
  model?: string
  error?: Fault
  busy?: boolean
}

export default function Ask() {
  const health = useData((s) => get('/health', {}, s), [])
  return (
    <div class="mx-auto max-w-3xl">
      <Head title={t('nav_ask')} about={t('ask_about')} />
      <Show of={health}>
        {(h) =>
          h.checks?.model ? (
            <Talk />
          ) : (
            <Empty title={t('no_model')}>
              <p>{t('no_model_about')}</p>
              <div class="mt-5 text-start">
                <Command
                  text={
                    'LUKASA_LLM_PROVIDER=ollama LUKASA_LLM_MODEL=llama3.2 lukasa serve\n# or: openai, anthropic, gemini, with LUKASA_LLM_KEY'
                  }
                />
              </div>
              <p class="mt-5 flex flex-wrap justify-center gap-3">
                <a class="btn" href={href('/search')}>
                  <Icon name="search" />
                  {t('nav_search')}
                </a>
                <a class="btn" href={href('/playground')}>
                  <Icon name="playground" />
                  {t('nav_playground')}
                </a>
              </p>
            </Empty>
          )
        }
      </Show>
    </div>
  )
}

function Talk() {
  const [turns, setTurns] = useState<Turn[]>([])
  const [text, setText] = useState(''),
    [container, setContainer] = useState('')
  const [conversation] = useState(() => 'dashboard-' + new Date().toISOString().slice(0, 16).replace(/[T:]/g, '-'))
  const end = useRef<HTMLDivElement>(null)
  const stop = useRef<AbortController>(undefined)
  useEffect(() => end.current?.scrollIntoView({ block: 'end' }), [turns])
  const last = (patch: Partial<Turn> | ((t: Turn) => Partial<Turn>)) =>
    setTurns((list) =>
      list.map((x, i) => (i === list.length - 1 ? { ...x, ...(typeof patch === 'function' ? patch(x) : patch) } : x)),
    )
  const send = async (e: Event) => {
    e.preventDefault()
    const question = text.trim()
    setText('')
    setTurns((l) => [...l, { question, answer: '', used: [], busy: true }])
    stop.current = new AbortController()
    try {
      const res = await request('POST', '/v1/chat', {
        body: {
          message: question,
          conversation,
          stream: true,
          container: container || undefined,
          include_memories: true,
        },
        signal: stop.current.signal,
        tries: 1,
      })
      const reader = res.body!.pipeThrough(new TextDecoderStream()).getReader()
      for (let rest = ''; ;) {
        const { done, value } = await reader.read()
        if (done) break
        rest += value
        for (let cut = rest.indexOf('\n\n'); cut >= 0; cut = rest.indexOf('\n\n')) {
          const event = /^event: (.*)$/m.exec(rest.slice(0, cut))?.[1],
            data = JSON.parse(/^data: (.*)$/m.exec(rest.slice(0, cut))?.[1] ?? '{}')
          rest = rest.slice(cut + 2)
          if (event === 'delta') last((x) => ({ answer: x.answer + data.text }))
          else if (event === 'done') last({ answer: data.response, used: data.memories_used ?? [], model: data.model })
          else if (event === 'error')
            last({ error: new Fault(data.error.message, 0, data.error.code, data.error.hint) })
        }
      }
    } catch (err) {
      if (!stop.current.signal.aborted) last({ error: err instanceof Fault ? err : new Fault(String(err)) })
    }
    last({ busy: false })
  }
  const busy = turns.at(-1)?.busy
  return (
    <>
      <ol class="space-y-8" aria-live="polite">
        {turns.map((x, i) => (
          <li key={i}>
            <p class="mb-3 font-semibold wrap-any" dir="auto">
              {x.question}
            </p>
            <p class="serif whitespace-pre-wrap wrap-any" dir="auto">
              {x.answer || (x.busy ? '…' : '')}
            </p>
            <Trouble error={x.error} />
            {x.used.length > 0 && (
              <details class="mt-3" open={i === turns.length - 1}>
                <summary class="text-muted">
                  {t('from_memories', x.used.length)}
                  {x.model && ` · ${x.model}`}
                </summary>
                <ul class="mt-2 divide-y divide-line">
                  {x.used.map((u) => (
                    <li key={u.id} class="flex flex-wrap items-baseline gap-x-3 py-1.5">
                      <a
                        class="link wrap-any"
                        dir="auto"
                        href={href(
                          u.id.startsWith('mem_')
                            ? { peek: u.id }
                            : u.recall_file_id
                              ? '/recall-files/' + u.recall_file_id
                              : '/documents/' + u.id,
                        )}
                      >
                        {u.topic || u.id}
                      </a>
                      <span class="text-xs text-muted">
                        {date(u.date)} · {percent(u.relevance_score)}
                      </span>
                    </li>
                  ))}
                </ul>
              </details>
            )}
          </li>
        ))}
      </ol>
      <form class="card sticky bottom-4 mt-8 flex flex-wrap items-end gap-2 p-3 shadow-lg" onSubmit={send}>
        <textarea
          class="field grow !border-transparent"
          rows={2}
          dir="auto"
          aria-label={t('question')}
          placeholder={t('question_hint')}
          value={text}
          onInput={(e) => setText(e.currentTarget.value)}
          onKeyDown={(e) => {
            if (e.key === 'Enter' && !e.shiftKey && text.trim() && !busy) void send(e)
          }}
          autofocus
        />
        <ContainerPick value={container} pick={setContainer} />
        {busy ? (
          <Button onClick={() => stop.current?.abort()}>{t('stop')}</Button>
        ) : (
          <Button main type="submit" disabled={!text.trim()}>
            {t('nav_ask')}
          </Button>
        )}
      </form>
      <div ref={end} />
    </>
  )
}
