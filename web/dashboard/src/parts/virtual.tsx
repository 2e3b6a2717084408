// A long list of which only the rows in sight are in the page, and only the pages in sight are loaded.
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import { epoch, Fault, type Listing } from '../lib/api'
import { hear } from '../lib/live'

const size = 100 // rows of a page: the most that the API gives at once

export interface Pages<T> {
  total: number | undefined
  error?: Fault
  at: (i: number) => T | undefined
  ensure: (from: number, to: number) => void
  reload: () => void
  loaded: () => T[]
  fresh: Set<string>
}

/** usePages loads a list by offset, as its rows come into sight, and reads what is in sight anew when news of the kind arrive. */
export function usePages<T extends { id: string }>(
  load: (offset: number, limit: number, signal: AbortSignal) => Promise<Listing<T>>,
  deps: unknown[],
  kind: string,
): Pages<T> {
  const [, draw] = useState(0)
  const mark = JSON.stringify(deps) + epoch.value
  const store = useRef({
    mark: '',
    pages: new Map<number, T[]>(),
    asked: new Set<number>(),
    total: undefined as number | undefined,
    error: undefined as Fault | undefined,
    stop: new AbortController(),
    range: [0, 30] as [number, number],
    fresh: new Set<string>(),
  })
  const s = store.current
  const loader = useRef(load)
  loader.current = load
  const redraw = () => draw((n) => n + 1)
  const fetchPage = (p: number) => {
    if (s.asked.has(p)) return
    s.asked.add(p)
    const { stop } = s
    loader.current(p * size, size, stop.signal).then(
      (l) => {
        if (stop.signal.aborted) return
        const known = s.pages.get(p)
        if (known) for (const x of l.items ?? []) if (!known.some((k) => k.id === x.id)) s.fresh.add(x.id)
        s.pages.set(p, l.items ?? [])
        s.total = l.total
        s.error = undefined
        redraw()
      },
      (err) => {
        if (stop.signal.aborted) return
        s.asked.delete(p)
        s.error = err instanceof Fault ? err : new Fault(String(err))
        redraw()
      },
    )
  }
  const ensure = (from: number, to: number) => {
    s.range = [from, to]
    for (let p = Math.floor(from / size); p <= Math.floor(Math.max(from, to - 1) / size); p++) fetchPage(p)
  }
  const reload = useCallback(() => {
    s.stop.abort()
    s.stop = new AbortController()
    s.asked.clear()
    const [from, to] = s.range
    const keep = new Map([...s.pages].filter(([p]) => p >= Math.floor(from / size) && p <= Math.floor(to / size)))
    s.pages = keep // what is out of sight is read when it is looked at
    ensure(from, to)
  }, [])
  if (s.mark !== mark) {
    s.stop.abort()
    Object.assign(s, {
      mark,
      pages: new Map(),
      asked: new Set(),
      total: undefined,
      error: undefined,
      stop: new AbortController(),
      range: [0, 30],
      fresh: new Set(),
    })
  }
  useEffect(() => {
    ensure(...s.range)
  }, [mark])
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const off = hear((n) => {
      if (n.type.startsWith(kind) && !timer)
        timer = setTimeout(() => {
          timer = undefined
          reload()
        }, 250)
    })
    return () => {
      off()
      clearTimeout(timer)
      s.stop.abort()
    }
  }, [])
  return {
    total: s.total,
    error: s.error,
    at: (i) => s.pages.get(Math.floor(i / size))?.[i % size],
    ensure,
    reload,
    loaded: () => [...s.pages.values()].flat(),
    fresh: s.fresh,
  }
}

export function VirtualRows({
  count,
  height,
  need,
  row,
  label,
  reveal,
}: {
  count: number
  height: number
  need: (from: number, to: number) => void
  row: (i: number) => ComponentChildren
  label: string
  reveal?: number
}) {
  const ref = useRef<HTMLDivElement>(null)
  const [range, setRange] = useState<[number, number]>([0, Math.min(count, 40)])
  useLayoutEffect(() => {
    const look = () => {
      const top = ref.current!.getBoundingClientRect().top
      const from = Math.max(0, Math.floor(-top / height) - 12)
      const to = Math.min(count, Math.ceil((innerHeight - top) / height) + 12)
      setRange((r) => (r[0] === from && r[1] === to ? r : [from, Math.max(from, to)]))
    }
    look()
    addEventListener('scroll', look, { passive: true })
    addEventListener('resize', look)
    return () => {
      removeEventListener('scroll', look)
      removeEventListener('resize', look)
    }
  }, [count, height])
  useEffect(() => need(range[0], range[1]), [range[0], range[1], count])
  useEffect(() => {
    if (reveal === undefined || reveal < 0) return
    const top = ref.current!.getBoundingClientRect().top + reveal * height
    if (top < 110) scrollBy(0, top - 110)
    else if (top + height > innerHeight - 24) scrollBy(0, top + height - innerHeight + 24)
  }, [reveal])
  return (
    <div ref={ref} role="rowgroup" aria-label={label} class="relative" style={{ height: count * height + 'px' }}>
      {Array.from({ length: Math.max(0, range[1] - range[0]) }, (_, k) => range[0] + k).map((i) => (
        <div key={i} class="absolute inset-x-0" style={{ top: i * height + 'px', height: height + 'px' }}>
          {row(i)}
        </div>
      ))}
    </div>
  )
}
