// The address holds the state: which page, what is asked for, what is peeked at.
import { computed, signal } from '@preact/signals'

export const base = '/dashboard'
const read = () => ({ path: location.pathname.slice(base.length) || '/', search: location.search })
const here = signal(read())

export const path = computed(() => here.value.path)
export const query = computed(() => new URLSearchParams(here.value.search))

addEventListener('popstate', () => (here.value = read()))

/** go opens a page of the dashboard, given without its base. */
export function go(to: string, how: { replace?: boolean } = {}) {
  history[how.replace ? 'replaceState' : 'pushState'](null, '', base + to)
  const moved = here.value.path !== read().path
  here.value = read()
  if (moved && !how.replace) scrollTo(0, 0)
}

type Patch = Record<string, string | null | undefined>
const patched = (patch: Patch) => {
  const q = new URLSearchParams(here.value.search)
  for (const [k, v] of Object.entries(patch)) v ? q.set(k, v) : q.delete(k)
  return here.value.path + (q.size ? '?' + q : '')
}
/** set changes parameters of the address; the step is one that Back takes only where push says so. */
export const set = (patch: Patch, push = false) => go(patched(patch), { replace: !push })
/** href is the address of a page, or of this page with other parameters. */
export const href = (to: string | Patch) => base + (typeof to === 'string' ? to : patched(to))

/** follow lets ordinary links move within the dashboard without loading it anew. */
export function follow() {
  document.addEventListener('click', (e) => {
    if (e.defaultPrevented || e.button || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return
    const a = (e.target as Element).closest?.('a')
    if (
      !a ||
      a.target ||
      a.hasAttribute('download') ||
      a.origin !== location.origin ||
      !(a.pathname + '/').startsWith(base + '/')
    )
      return
    e.preventDefault()
    go(a.pathname.slice(base.length) + a.search || '/')
  })
}

/** match reads a pattern like /memories/:id against a path. */
export function match(pattern: string, at: string): Record<string, string> | null {
  const want = pattern.split('/'),
    got = at.replace(/\/$/, '').split('/')
  if (pattern === '/') return got.length <= 1 ? {} : null
  if (want.length !== got.length) return null
  const out: Record<string, string> = {}
  for (let i = 0; i < want.length; i++) {
    if (want[i]!.startsWith(':')) {
      try {
        out[want[i]!.slice(1)] = decodeURIComponent(got[i]!)
      } catch {
        return null
      }
    } else if (want[i] !== got[i]) return null
  }
  return out
}
