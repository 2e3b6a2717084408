// Reading from the server inside of components.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { epoch, Fault } from './api'
import { hear } from './live'

export interface Data<T> {
  data?: T
  error?: Fault
  loading: boolean
  reload: () => void
  put: (data: T) => void
}

/** useData loads when deps change, when the server comes back, and when news of one of the kinds in on arrive. Old data stays until new is there. */
export function useData<T>(load: (signal: AbortSignal) => Promise<T>, deps: unknown[], on: string[] = []): Data<T> {
  const [state, setState] = useState<{ data?: T; error?: Fault; loading: boolean }>({ loading: true })
  const [turn, setTurn] = useState(0)
  const reload = useCallback(() => setTurn((n) => n + 1), [])
  const latest = useRef(load)
  latest.current = load
  const first = useRef<string>('')
  const mark = JSON.stringify(deps)
  useEffect(() => {
    const stop = new AbortController()
    const other = first.current !== mark
    first.current = mark
    setState((s) => ({ data: other ? undefined : s.data, loading: true }))
    latest.current(stop.signal).then(
      (data) => {
        if (!stop.signal.aborted) setState({ data, loading: false })
      },
      (error) => {
        if (!stop.signal.aborted)
          setState((s) => ({
            data: error.code === 'AWAY' ? s.data : undefined,
            error: error instanceof Fault ? error : new Fault(String(error)),
            loading: false,
          }))
      },
    )
    return () => stop.abort()
  }, [mark, turn, epoch.value])
  useEffect(() => {
    if (!on.length) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const off = hear((n) => {
      if (!on.some((k) => n.type.startsWith(k)) || timer) return
      timer = setTimeout(() => {
        timer = undefined
        reload()
      }, 250)
    })
    return () => {
      off()
      clearTimeout(timer)
    }
  }, [on.join()])
  return { ...state, reload, put: (data) => setState({ data, loading: false }) }
}

/** useDebounced returns value once it has stood still for ms. */
export function useDebounced<T>(value: T, ms: number) {
  const [out, setOut] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setOut(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return out
}

/** stored reads and writes what this browser remembers. */
export const stored = {
  get: <T>(name: string, otherwise: T): T => {
    try {
      const s = localStorage.getItem('lukasa.' + name)
      return s === null ? otherwise : (JSON.parse(s) as T)
    } catch {
      return otherwise
    }
  },
  set: (name: string, value: unknown) => {
    try {
      localStorage.setItem('lukasa.' + name, JSON.stringify(value))
    } catch {
      /* private windows */
    }
  },
}

export interface Grown<T> {
  items?: T[]
  total: number
  error?: Fault
  busy: boolean
  more: () => void
  reload: () => void
}
/** useMore loads a list a stretch at a time. What is loaded is read anew when news of one of the kinds in on arrive. */
export function useMore<T>(
  load: (offset: number, limit: number, signal: AbortSignal) => Promise<{ items: T[]; total: number }>,
  deps: unknown[],
  on: string[] = [],
  step = 50,
): Grown<T> {
  const [want, setWant] = useState(step)
  const mark = JSON.stringify(deps)
  useEffect(() => setWant(step), [mark])
  const of = useData(
    async (s) => {
      const items: T[] = []
      let total = 0
      for (let offset = 0; offset < want; offset += 100) {
        const l = await load(offset, Math.min(100, want - offset), s)
        items.push(...(l.items ?? []))
        total = l.total ?? 0
        if (items.length >= total) break
      }
      return { items, total }
    },
    [mark],
    on,
  )
  useEffect(() => {
    if (want > step) of.reload()
  }, [want])
  return {
    items: of.data?.items,
    total: of.data?.total ?? 0,
    error: of.error,
    busy: of.loading,
    more: () => setWant((n) => n + step),
    reload: of.reload,
  }
}
