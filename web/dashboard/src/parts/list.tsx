// A list of rows with a place that the keys move: j, k, o, x, #.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Grown } from '../lib/data'
import { useKeys } from '../lib/keys'
import { More, Trouble, Waiting } from './ui'

export function Rows<T>({
  of,
  empty,
  row,
  open,
  remove,
  label,
  id,
}: {
  of: Grown<T>
  empty: ComponentChildren
  row: (x: T, i: number) => ComponentChildren
  open?: (x: T) => void
  remove?: (x: T) => void
  label: string
  id: (x: T) => string
}) {
  const [at, setAt] = useState(-1)
  const list = of.items ?? []
  const step = (by: number) => {
    const i = Math.max(0, Math.min(list.length - 1, at + by))
    setAt(i)
    document.getElementById('row-' + id(list[i]!))?.scrollIntoView({ block: 'nearest' })
  }
  useKeys({
    j: () => list.length && step(1),
    k: () => list.length && step(-1),
    ...(open ? { o: () => list[at] && open(list[at]!), Enter: () => list[at] && open(list[at]!) } : {}),
    ...(remove ? { '#': () => list[at] && remove(list[at]!) } : {}),
  })
  if (of.error && !of.items) return <Trouble error={of.error} again={of.reload} />
  if (!of.items) return <Waiting rows={6} />
  if (!list.length) return <>{empty}</>
  return (
    <>
      <ul class="card divide-y divide-line" aria-label={label}>
        {list.map((x, i) => (
          <li
            key={id(x)}
            id={'row-' + id(x)}
            class={`px-4 py-3 first:rounded-t-lg last:rounded-b-lg ${i === at ? 'row-on' : ''}`}
          >
            {row(x, i)}
          </li>
        ))}
      </ul>
      <More shown={list.length} total={of.total} busy={of.busy} more={of.more} />
    </>
  )
}
