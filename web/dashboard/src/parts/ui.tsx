// The small parts that pages are made of.
import { signal } from '@preact/signals'
import { h, type ButtonHTMLAttributes, type ComponentChildren, type SVGAttributes } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { IconNode } from 'lucide'
import { away, Fault } from '../lib/api'
import { ago, moment, percent } from '../lib/format'
import { href } from '../lib/router'
import { t, type Word } from '../lib/strings'
import * as icons from './icons'

export type IconName = keyof typeof icons

export function Icon({ name, size = 16, class: cls = '' }: { name: IconName; size?: number; class?: string }) {
  const node = icons[name] as IconNode
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="1.75"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
      class={'shrink-0 ' + cls}
    >
      {node.map(([tag, attrs]) => h(tag, attrs as SVGAttributes))}
    </svg>
  )
}

export type Kind =
  'fact' | 'preference' | 'episode' | 'insight' | 'task' | 'decision' | 'milestone' | 'event' | 'turning_point'
export const kinds: Kind[] = [
  'fact',
  'preference',
  'episode',
  'insight',
  'task',
  'decision',
  'milestone',
  'event',
  'turning_point',
]
const kindLook: Record<Kind, [string, IconName]> = {
  fact: ['text-fact', 'fact'],
  preference: ['text-preference', 'preference'],
  episode: ['text-episode', 'episode'],
  insight: ['text-insight', 'insight'],
  task: ['text-task', 'task'],
  decision: ['text-decision', 'decision'],
  milestone: ['text-ok', 'milestone'],
  event: ['text-episode', 'event'],
  turning_point: ['text-insight', 'turning'],
}
/** KindBadge names a kind by word, sign and colour. */
export function KindBadge({ kind }: { kind: string }) {
  const [color, icon] = kindLook[kind as Kind] ?? ['text-muted', 'fact']
  return (
    <span class={'badge ' + color}>
      <Icon name={icon} size={14} />
      {t(('kind_' + kind) as Word)}
    </span>
  )
}

export function Button({
  icon,
  main,
  danger,
  bare,
  children,
  class: cls = '',
  ...rest
}: { icon?: IconName; main?: boolean; danger?: boolean; bare?: boolean } & ButtonHTMLAttributes) {
  return (
    <button
      type="button"
      {...rest}
      class={`btn ${main ? 'btn-main' : ''} ${danger ? 'btn-danger' : ''} ${bare ? 'btn-bare' : ''} ${!children ? 'btn-icon' : ''} ${cls}`}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

export function Ago({ at, class: cls = '' }: { at?: string; class?: string }) {
  return at ? (
    <time dateTime={at} title={moment(at)} class={cls}>
      {ago(at)}
    </time>
  ) : null
}

export function Head({
  title,
  about,
  children,
}: {
  title: ComponentChildren
  about?: ComponentChildren
  children?: ComponentChildren
}) {
  return (
    <div class="mb-5 flex flex-wrap items-end gap-x-4 gap-y-3">
      <div class="min-w-0 grow">
        <h1 class="text-2xl font-semibold tracking-tight wrap-any" dir="auto">
          {title}
        </h1>
        {about && <p class="mt-1 max-w-[70ch] text-muted">{about}</p>}
      </div>
      {children && <div class="flex flex-wrap items-center gap-2">{children}</div>}
    </div>
  )
}

/** Trouble says what went wrong and what to do. While the server is away the banner says it already. */
export function Trouble({ error, again }: { error?: Fault; again?: () => void }) {
  if (!error || error.code === 'AWAY' || error.status === 401) return null
  return (
    <div role="alert" class="card my-4 flex items-start gap-3 p-4">
      <Icon name="warn" class="mt-0.5 text-danger" />
      <div class="min-w-0 grow wrap-any">
        <p class="font-medium">{error.status === 404 ? t('err_404') : error.message}</p>
        {error.status === 404 && <p class="mt-1 text-muted">{error.message}</p>}
        {error.hint && <p class="mt-1 text-muted">{error.hint}</p>}
      </div>
      {again && error.status !== 404 && <Button onClick={again}>{t('again')}</Button>}
    </div>
  )
}

export function Waiting({ rows = 4 }: { rows?: number }) {
  return (
    <div role="progressbar" aria-busy="true" aria-label={t('loading')} class="space-y-3 py-2">
      {Array.from({ length: rows }, (_, i) => (
        <div key={i} class={'skeleton h-5 ' + (i % 3 === 2 ? 'w-1/2' : i % 3 ? 'w-3/4' : 'w-full')} />
      ))}
    </div>
  )
}

/** Show waits for data, says what went wrong, or shows it. */
export function Show<T>({
  of,
  rows,
  children,
}: {
  of: { data?: T; error?: Fault; loading: boolean; reload: () => void }
  rows?: number
  children: (data: T) => ComponentChildren
}) {
  if (of.error && of.data === undefined) return <Trouble error={of.error} again={of.reload} />
  if (of.data === undefined) return away.value ? null : <Waiting rows={rows} />
  return <>{children(of.data)}</>
}

export function Empty({ title, children, command }: { title: string; children?: ComponentChildren; command?: string }) {
  return (
    <div class="card mx-auto my-8 max-w-2xl p-6 text-center sm:p-8">
      <p class="text-lg font-medium">{title}</p>
      {children && <div class="mx-auto mt-2 max-w-[56ch] text-muted">{children}</div>}
      {command && (
        <div class="mt-5 text-start">
          <Command text={command} />
        </div>
      )}
    </div>
  )
}

export function CopyButton({ text, label }: { text: string; label?: string }) {
  const [done, setDone] = useState(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
    } catch {
      select(text)
    }
    setDone(true)
    setTimeout(() => setDone(false), 1600)
  }
  return (
    <Button
      bare
      icon={done ? 'check' : 'copy'}
      onClick={copy}
      aria-label={label ?? t('copy')}
      title={label ?? t('copy')}
    >
      {done ? t('copied') : label}
    </Button>
  )
}
/** select copies where the clipboard is closed, as on plain HTTP from another machine. */
function select(text: string) {
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

export function Command({ text, wrap }: { text: string; wrap?: boolean }) {
  return (
    <div class="relative">
      <pre class={'code pe-12 ' + (wrap ? '!whitespace-pre-wrap wrap-any' : '')} tabIndex={0}>
        {text}
      </pre>
      <div class="absolute end-1.5 top-1 rounded-md bg-sunken">
        <CopyButton text={text} />
      </div>
    </div>
  )
}

export function Container({ path }: { path?: string }) {
  if (!path) return null
  return (
    <a
      class="inline-flex min-h-6 max-w-full items-center gap-1 truncate text-muted hover:text-text hover:underline"
      href={href('/containers?at=' + encodeURIComponent(path))}
    >
      <Icon name="container" size={13} />
      <span class="truncate">{path}</span>
    </a>
  )
}

export function Confidence({ value }: { value?: number }) {
  if (value === undefined) return null
  return (
    <span class="inline-flex items-center gap-1.5 num text-muted" title={t('confidence')}>
      <Meter value={value} label={t('confidence')} class="w-10" />
      {percent(value)}
    </span>
  )
}

export function Meter({
  value,
  label,
  class: cls = '',
  tone = 'bg-accent',
}: {
  value: number
  label: string
  class?: string
  tone?: string
}) {
  const ref = useRef<HTMLSpanElement>(null)
  const part = Math.max(0, Math.min(1, value))
  useEffect(() => {
    ref.current!.style.width = part * 100 + '%'
  }, [part])
  return (
    <span
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={1}
      aria-valuenow={Math.round(part * 100) / 100}
      class={'inline-block h-1.5 overflow-hidden rounded-full bg-line ' + cls}
    >
      <span ref={ref} class={'block h-full rounded-full ' + tone} />
    </span>
  )
}

/** Dialog is a modal one of the browser's own: focus, Escape and what lies behind are its work. */
export function Dialog({
  title,
  close,
  children,
  wide,
}: {
  title: string
  close: () => void
  children: ComponentChildren
  wide?: boolean
}) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const back = document.activeElement as HTMLElement | null
    ref.current!.showModal()
    return () => back?.focus?.()
  }, [])
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      class={wide ? '!max-w-4xl' : ''}
      onClose={close}
      onClick={(e) => e.target === ref.current && ref.current!.close()}
    >
      <div class="p-5">
        <div class="mb-4 flex items-start gap-3">
          <h2 id={id} class="grow text-xl font-semibold">
            {title}
          </h2>
          <Button bare icon="close" aria-label={t('close')} onClick={() => ref.current!.close()} />
        </div>
        {children}
      </div>
    </dialog>
  )
}

interface Toast {
  id: number
  text: string
  undo?: () => Promise<unknown>
  bad?: boolean
  hint?: string
  ms: number
}
const toasts = signal<Toast[]>([])
let lastToast = 0
/** say tells what has been done, and how to take it back. */
export function say(text: string, more: { undo?: () => Promise<unknown>; bad?: boolean; hint?: string } = {}) {
  toasts.value = [
    ...toasts.value.slice(-2),
    { id: ++lastToast, text, ...more, ms: more.undo ? 10_000 : more.bad ? 9_000 : 3_500 },
  ]
}
/** failed tells of an error where there is no better place for it. */
export function failed(err: unknown) {
  const f = err instanceof Fault ? err : new Fault(String(err))
  if (f.status === 401) return
  say(f.code === 'AWAY' ? t('away') : f.message, { bad: true, hint: f.hint })
}
const drop = (id: number) => (toasts.value = toasts.value.filter((x) => x.id !== id))

export function Toasts() {
  return (
    <div
      class="pointer-events-none fixed inset-x-0 bottom-4 z-50 flex flex-col items-center gap-2 px-4 max-md:bottom-18"
      aria-live="polite"
    >
      {toasts.value.map((x) => (
        <OneToast key={x.id} toast={x} />
      ))}
    </div>
  )
}
function OneToast({ toast }: { toast: Toast }) {
  const [busy, setBusy] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => drop(toast.id), toast.ms)
    return () => clearTimeout(timer)
  }, [])
  const undo = async () => {
    setBusy(true)
    try {
      await toast.undo!()
      drop(toast.id)
      say(t('undone'))
    } catch (err) {
      drop(toast.id)
      failed(err)
    }
  }
  return (
    <div
      role="status"
      class="rise pointer-events-auto flex max-w-full items-center gap-3 rounded-lg bg-text px-4 py-2.5 text-bg shadow-lg"
    >
      <div class="min-w-0 wrap-any">
        <p>{toast.text}</p>
        {toast.hint && <p class="text-xs opacity-80">{toast.hint}</p>}
      </div>
      {toast.undo && (
        <button type="button" disabled={busy} class="min-h-6 font-semibold underline underline-offset-2" onClick={undo}>
          {t('undo')}
        </button>
      )}
      <button
        type="button"
        class="grid size-6 place-items-center"
        aria-label={t('close')}
        onClick={() => drop(toast.id)}
      >
        <Icon name="close" size={14} />
      </button>
    </div>
  )
}

/** Marked shows text with the words of a query marked. */
export function Marked({ text, words }: { text: string; words: string[] }) {
  const good = words.filter((w) => w.length > 1).map((w) => w.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  if (!good.length) return <>{text}</>
  const parts = text.split(
    new RegExp(`((?<![\\p{L}\\p{N}])(?:${good.join('|')})[\\p{L}\\p{N}]{0,3}(?![\\p{L}\\p{N}]))`, 'giu'),
  )
  return <>{parts.map((p, i) => (i % 2 ? <mark key={i}>{p}</mark> : p))}</>
}

export function Facts({ rows }: { rows: [ComponentChildren, ComponentChildren][] }) {
  return (
    <dl class="grid grid-cols-[minmax(7rem,auto)_1fr] gap-x-4 gap-y-2">
      {rows
        .filter(([, v]) => v !== undefined && v !== null && v !== '' && v !== false)
        .map(([k, v], i) => (
          <div key={i} class="contents">
            <dt class="text-muted">{k}</dt>
            <dd class="min-w-0 wrap-any" dir="auto">
              {v}
            </dd>
          </div>
        ))}
    </dl>
  )
}

export function Tabs({
  tabs,
  at,
  pick,
  label,
}: {
  tabs: { id: string; label: string; count?: number }[]
  at: string
  pick: (id: string) => void
  label: string
}) {
  const move = (e: KeyboardEvent) => {
    const step = e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? -1 : 0
    if (!step) return
    const i = (tabs.findIndex((x) => x.id === at) + step + tabs.length) % tabs.length
    pick(tabs[i]!.id)
    ;((e.currentTarget as HTMLElement).children[i] as HTMLElement).focus()
  }
  return (
    <div role="tablist" aria-label={label} class="tabs mb-4" onKeyDown={move}>
      {tabs.map((x) => (
        <button
          key={x.id}
          type="button"
          role="tab"
          aria-selected={x.id === at}
          tabIndex={x.id === at ? 0 : -1}
          class="tab"
          onClick={() => pick(x.id)}
        >
          {x.label}
          {x.count !== undefined && <span class="num ms-1.5 text-xs text-muted">{x.count}</span>}
        </button>
      ))}
    </div>
  )
}

export function Seg<T extends string>({
  label,
  options,
  value,
  pick,
}: {
  label: string
  options: { id: T; label: string; title?: string }[]
  value: T
  pick: (id: T) => void
}) {
  return (
    <div role="group" aria-label={label} class="seg">
      {options.map((o) => (
        <button key={o.id} type="button" title={o.title} aria-pressed={o.id === value} onClick={() => pick(o.id)}>
          {o.label}
        </button>
      ))}
    </div>
  )
}

/** Confirm asks before what cannot be taken back. typed, if given, must be typed in. */
export function Confirm({
  title,
  body,
  act,
  label,
  typed,
  close,
}: {
  title: string
  body: ComponentChildren
  act: () => Promise<unknown>
  label: string
  typed?: string
  close: () => void
}) {
  const [busy, setBusy] = useState(false)
  const [word, setWord] = useState('')
  const run = async () => {
    setBusy(true)
    try {
      await act()
      close()
    } catch (err) {
      failed(err)
      setBusy(false)
    }
  }
  return (
    <Dialog title={title} close={close}>
      <div class="wrap-any">{body}</div>
      {typed && (
        <label class="mt-4 block">
          <span class="label">{t('type_to_confirm', typed)}</span>
          <input class="field mt-1" value={word} onInput={(e) => setWord(e.currentTarget.value)} />
        </label>
      )}
      <div class="mt-5 flex justify-end gap-2">
        <Button onClick={close}>{t('cancel')}</Button>
        <Button danger disabled={busy || (typed !== undefined && word !== typed)} onClick={run}>
          {label}
        </Button>
      </div>
    </Dialog>
  )
}

/** More asks for the next page of a list. */
export function More({ shown, total, busy, more }: { shown: number; total: number; busy: boolean; more: () => void }) {
  if (shown >= total) return null
  return (
    <div class="mt-4 flex items-center justify-center gap-3">
      <span class="num text-muted">{t('shown_of', shown, total)}</span>
      <Button disabled={busy} onClick={more}>
        {t('more')}
      </Button>
    </div>
  )
}

export { failed as fail }
