// Files on their way to the server: two at a time, each with how much of it is sent, and what became of it. It outlives the page that shows it.
import { signal } from '@preact/signals'
import { Fault, json, signedOut, type Document } from './api'
import { hear } from './live'

export type Stage = 'waiting' | 'sending' | 'reading' | 'done' | 'failed'
export interface Upload {
  n: number
  name: string
  size: number
  sent: number
  stage: Stage
  status?: string
  id?: string
  title?: string
  why?: string
  known?: boolean
  file?: File
}

export const uploads = signal<Upload[]>([])
export const uploadTo = signal('')
let last = 0
const change = (n: number, patch: Partial<Upload>) =>
  (uploads.value = uploads.value.map((u) => (u.n === n ? { ...u, ...patch } : u)))

export function queue(files: File[]) {
  uploads.value = [
    ...files.map((file) => ({ n: ++last, name: file.name, size: file.size, sent: 0, stage: 'waiting' as Stage, file })),
    ...uploads.value,
  ]
  next()
}
export function again(n: number) {
  change(n, { stage: 'waiting', sent: 0, why: undefined })
  next()
}
export const clearDone = () => (uploads.value = uploads.value.filter((u) => u.stage !== 'done' && u.stage !== 'failed'))

function next() {
  const busy = uploads.value.filter((u) => u.stage === 'sending').length
  for (const u of uploads.value
    .filter((x) => x.stage === 'waiting')
    .toReversed()
    .slice(0, 2 - busy))
    send(u)
}

/** send uses XMLHttpRequest: fetch does not tell how much of a body is sent. */
function send(u: Upload) {
  change(u.n, { stage: 'sending' })
  const form = new FormData()
  if (uploadTo.value) form.append('container', uploadTo.value)
  form.append('file', u.file!, u.name)
  const x = new XMLHttpRequest()
  x.open('POST', '/v1/documents/upload')
  x.setRequestHeader('X-Lukasa-Dashboard', '1')
  x.upload.onprogress = (e) => e.lengthComputable && change(u.n, { sent: e.loaded / e.total })
  x.onload = () => {
    let body: {
      items?: { status: number; document?: Document; error?: { message?: string } }[]
      error?: { message: string; hint?: string }
    } = {}
    try {
      body = JSON.parse(x.responseText)
    } catch {
      /* said below */
    }
    if (x.status === 401) signedOut.value = body.error?.message ?? ''
    const item = body.items?.[0]
    const error = body.error?.message ?? item?.error?.message ?? (x.status >= 400 ? `${x.status}` : '')
    if (error) change(u.n, { stage: 'failed', why: [error, body.error?.hint].filter(Boolean).join('. ') })
    else if (item?.document) {
      change(u.n, { sent: 1, id: item.document.id, title: item.document.title, known: item.status === 200 })
      settle(u.n, item.document)
    }
    next()
  }
  x.onerror = () => {
    change(u.n, { stage: 'failed', why: '' })
    next()
  }
  x.send(form)
}

function settle(n: number, d: Document) {
  change(n, {
    status: d.status,
    stage: d.status === 'done' ? 'done' : d.status === 'failed' ? 'failed' : 'reading',
    why: d.status === 'failed' ? d.reason : undefined,
  })
}

/** look asks how far the server is with what it reads. */
async function look(u: Upload) {
  try {
    settle(u.n, await json<Document>('GET', '/v1/documents/' + u.id))
  } catch (err) {
    if (err instanceof Fault && err.status === 404) change(u.n, { stage: 'failed', why: err.message })
  }
}
hear((news) => {
  const u = uploads.value.find((x) => x.id === news.record_id && x.stage === 'reading')
  if (u) void look(u)
})
setInterval(() => uploads.value.filter((u) => u.stage === 'reading').forEach((u) => void look(u)), 2000)
