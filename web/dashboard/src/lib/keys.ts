// Keys. The last registered layer that knows a key takes it; nothing is taken from a field that is typed in.
import { useEffect, useRef } from 'preact/hooks'

export type Keys = Record<string, (e: KeyboardEvent) => void>
const layers: { current: Keys }[] = []

/** useKeys binds keys for as long as the component is there: 'j', '#', 'mod+k', 'Escape'. */
export function useKeys(keys: Keys) {
  const ref = useRef(keys)
  ref.current = keys
  useEffect(() => {
    layers.push(ref)
    return () => void layers.splice(layers.indexOf(ref), 1)
  }, [])
}

export function listenToKeys() {
  addEventListener('keydown', (e) => {
    const at = e.target as HTMLElement
    const typing = at.closest?.('input, textarea, select, [contenteditable]')
    const mod = e.metaKey || e.ctrlKey
    const name = (mod ? 'mod+' : '') + (e.key.length === 1 ? e.key.toLowerCase() : e.key)
    if (e.altKey || e.isComposing || (typing && !mod && e.key !== 'Escape')) return
    if (!mod && document.querySelector('dialog[open]')) return
    if ((e.key === 'Enter' || e.key === ' ') && at.closest?.('a, button, summary')) return
    for (const layer of layers.toReversed()) {
      const act = layer.current[name]
      if (act) {
        e.preventDefault()
        act(e)
        return
      }
    }
  })
}
