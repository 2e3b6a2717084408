import { useEffect, useRef, useState } from 'preact/hooks'
import { type Document, json } from '../lib/api'
import { bytes, percent } from '../lib/format'
import { mayWrite } from '../lib/me'
import { href } from '../lib/router'
import { t, type Word } from '../lib/strings'
import { again, clearDone, queue, type Upload, uploads, uploadTo } from '../lib/uploads'
import { ContainerField } from '../parts/pick'
import { Button, Empty, fail, Head, Icon, say } from '../parts/ui'

export default function UploadPage() {
  const input = useRef<HTMLInputElement>(null)
  const folder = useRef<HTMLInputElement>(null)
  useEffect(() => {
    folder.current?.setAttribute('webkitdirectory', '')
  }, [])
  if (!mayWrite.value) return <Empty title={t('only_reads')}>{t('only_reads_about')}</Empty>
  const take = (e: Event & { currentTarget: HTMLInputElement }) => {
    queue([...(e.currentTarget.files ?? [])])
    e.currentTarget.value = ''
  }
  const list = uploads.value
  return (
    <>
      <Head title={t('nav_upload')} about={t('upload_about')} />
      <div class="grid gap-6 lg:grid-cols-2">
        <section class="card flex flex-col items-center justify-center border-dashed p-8 text-center">
          <Icon name="upload" size={30} class="text-muted" />
          <p class="mt-3 font-medium">{t('drop_files')}</p>
          <div class="mt-4 flex flex-wrap justify-center gap-2">
            <Button main onClick={() => input.current!.click()}>
              {t('choose_files')}
            </Button>
            <Button onClick={() => folder.current!.click()}>{t('choose_folder')}</Button>
          </div>
          <input ref={input} type="file" multiple hidden onChange={take} data-testid="files" />
          <input ref={folder} type="file" multiple hidden onChange={take} />
          <label class="mt-5 block w-full max-w-xs text-start">
            <span class="label">{t('container')}</span>
            <ContainerField value={uploadTo.value} put={(v) => (uploadTo.value = v.trim())} />
          </label>
        </section>
        <Paste />
      </div>
      {list.length > 0 && (
        <section class="mt-6">
          <h2 class="mb-2 flex items-center gap-3 font-semibold">
            {t('on_their_way')}
            <span class="num font-normal text-muted">
              {t('n_of_m', list.filter((u) => u.stage === 'done').length, list.length)}
            </span>
            <span class="ms-auto">
              <Button bare onClick={clearDone}>
                {t('clear_done')}
              </Button>
            </span>
          </h2>
          <ul class="card divide-y divide-line" aria-label={t('on_their_way')}>
            {list.map((u) => (
              <Line key={u.n} u={u} />
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

function Line({ u }: { u: Upload }) {
  const label =
    u.stage === 'reading'
      ? t(('stage_' + (u.status || 'queued')) as Word)
      : u.stage === 'sending'
        ? t('sending', percent(u.sent))
        : u.stage === 'done'
          ? t(u.known ? 'was_there' : 'done')
          : t(('up_' + u.stage) as Word)
  return (
    <li class="px-4 py-3" data-stage={u.stage}>
      <div class="flex flex-wrap items-center gap-x-3">
        <span class="min-w-0 font-medium wrap-any" dir="auto">
          {u.id ? (
            <a class="hover:underline" href={href('/documents/' + u.id)}>
              {u.name}
            </a>
          ) : (
            u.name
          )}
        </span>
        <span class="num text-xs text-muted">{bytes(u.size)}</span>
        <span
          class={`badge ms-auto ${u.stage === 'done' ? 'text-ok' : u.stage === 'failed' ? 'text-danger' : 'text-muted'}`}
        >
          <Icon name={u.stage === 'done' ? 'check' : u.stage === 'failed' ? 'warn' : 'episode'} size={14} />
          {label}
        </span>
        {u.stage === 'failed' && u.file && <Button onClick={() => again(u.n)}>{t('again')}</Button>}
      </div>
      {(u.stage === 'sending' || u.stage === 'reading') && (
        <progress
          class="mt-2 h-1.5 w-full"
          max={1}
          value={u.stage === 'reading' ? 1 : u.sent}
          aria-label={t('progress_of', u.name)}
        />
      )}
      {u.stage === 'failed' && <p class="mt-1 text-danger wrap-any">{u.why || t('away')}</p>}
    </li>
  )
}

const limit = 500_000 // characters of a text that is sent as JSON; more goes as a file
const unwieldy = 200_000 // characters that a text field would take long to show
function Paste() {
  const [text, setText] = useState('')
  const [title, setTitle] = useState('')
  const [busy, setBusy] = useState(false)
  const isURL = /^https?:\/\/\S+$/.test(text.trim())
  const paste = (e: ClipboardEvent) => {
    const long = e.clipboardData?.getData('text/plain') ?? ''
    if (long.length < unwieldy) return
    e.preventDefault()
    queue([new File([long], (title.trim() || t('pasted')) + '.txt', { type: 'text/plain' })])
    say(t('long_as_file'))
  }
  const send = async (e: Event) => {
    e.preventDefault()
    setBusy(true)
    try {
      if (!isURL && text.length > limit) {
        queue([new File([text], (title.trim() || t('pasted')) + '.txt', { type: 'text/plain' })])
        say(t('long_as_file'))
      } else {
        const d = await json<Document & { deduplicated?: boolean }>('POST', '/v1/documents', {
          body: {
            ...(isURL ? { url: text.trim() } : { content: text }),
            title: title.trim() || undefined,
            container: uploadTo.value || undefined,
          },
        })
        uploads.value = [
          {
            n: -Date.now(),
            name: d.title || title || t('pasted'),
            size: d.size || text.length,
            sent: 1,
            stage: d.status === 'done' ? 'done' : 'reading',
            status: d.status,
            id: d.id,
            known: d.deduplicated,
          },
          ...uploads.value,
        ]
      }
      setText('')
      setTitle('')
    } catch (err) {
      fail(err)
    }
    setBusy(false)
  }
  return (
    <form class="card space-y-4 p-5" onSubmit={send}>
      <label class="block">
        <span class="label">{t('paste_here')}</span>
        <textarea
          class="field serif mt-1"
          rows={7}
          dir="auto"
          placeholder={t('paste_hint')}
          value={text}
          onPaste={paste}
          onInput={(e) => setText(e.currentTarget.value)}
        />
      </label>
      <label class="block">
        <span class="label">{t('title_optional')}</span>
        <input class="field mt-1" dir="auto" value={title} onInput={(e) => setTitle(e.currentTarget.value)} />
      </label>
      <div class="flex items-center justify-between gap-3">
        <span class="num text-muted">{isURL ? t('is_address') : text ? t('characters', text.length) : ''}</span>
        <Button main type="submit" disabled={busy || !text.trim()}>
          {t(isURL ? 'fetch_page' : 'remember')}
        </Button>
      </div>
    </form>
  )
}
