// Ctrl+K: actions, what was opened lately, and hits of the search, live.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { json, type Found } from '../lib/api'
import { useDebounced } from '../lib/data'
import { recents } from '../lib/recent'
import { go } from '../lib/router'
import { t } from '../lib/strings'
import { nav } from '../app'
import { Icon, type IconName } from './ui'
import { hitIcon, hitTo } from './hits'

interface Choice {
  icon: IconName
  label: string
  more?: string
  act: () => void
}

export function Palette({ close, help }: { close: () => void; help: () => void }) {
  const ref = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const [hits, setHits] = useState<Found['results']>([])
  const asked = useDebounced(text.trim(), 250)

  useEffect(() => {
    const before = document.activeElement as HTMLElement | null
    ref.current!.showModal()
    return () => {
      if (document.activeElement === document.body) before?.focus?.()
    }
  }, [])
  useEffect(() => {
    setAt(0)
    if (asked.length < 2) {
      setHits([])
      return
    }
    const stop = new AbortController()
    json<Found>('POST', '/v1/search', { body: { query: asked, limit: 8 }, signal: stop.signal }).then(
      (f) => !stop.signal.aborted && setHits(f.results ?? []),
      () => {},
    )
    return () => stop.abort()
  }, [asked])

  const groups = useMemo(() => {
    const q = text.trim().toLowerCase()
    const open = (to: string) => () => {
      ref.current!.close()
      go(to)
    }
    const pages: Choice[] = nav
      .flatMap((g) => g.items)
      .map(([to, icon, word]) => ({ icon, label: t(word), act: open(to) }))
    pages.push({
      icon: 'keyboard',
      label: t('keys_title'),
      act: () => {
        ref.current!.close()
        help()
      },
    })
    const actions = pages.filter((c) => !q || c.label.toLowerCase().includes(q))
    const lately: Choice[] = q
      ? []
      : recents()
          .slice(0, 6)
          .map((r) => ({ icon: r.icon, label: r.label, act: open(r.to) }))
    const found: Choice[] =
      q.length < 2
        ? []
        : hits.map((h) => ({
            icon: hitIcon(h),
            label: h.content.replace(/\s+/g, ' ').slice(0, 140),
            more: h.container,
            act: open(hitTo(h, true)),
          }))
    const all: Choice[] = q
      ? [
          {
            icon: 'search',
            label: t('search_for', text.trim()),
            act: open('/search?q=' + encodeURIComponent(text.trim())),
          },
        ]
      : []
    return [
      [t('pal_recent'), lately],
      [t('pal_hits'), found],
      [t('pal_search'), all],
      [t('pal_go'), q ? actions.slice(0, 6) : actions],
    ] as [string, Choice[]][]
  }, [text, hits])
  const flat = groups.flatMap(([, c]) => c)
  const pick = Math.min(at, flat.length - 1)
  const onKey = (e: KeyboardEvent) => {
    if (e.key === 'ArrowDown') setAt((pick + 1) % flat.length)
    else if (e.key === 'ArrowUp') setAt((pick - 1 + flat.length) % flat.length)
    else if (e.key === 'Enter') flat[pick]?.act()
    else return
    e.preventDefault()
  }
  useEffect(
    () => ref.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' }),
    [pick, flat.length],
  )
  let n = -1
  return (
    <dialog
      ref={ref}
      class="!mt-[12vh] !max-w-xl"
      aria-label={t('palette')}
      onClose={close}
      onClick={(e) => e.target === ref.current && ref.current!.close()}
    >
      <div class="flex items-center gap-2 border-b border-line px-4">
        <Icon name="search" class="text-muted" />
        <input
          class="min-h-12 w-full bg-transparent text-lg outline-none"
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={`pal-${pick}`}
          aria-label={t('palette')}
          placeholder={t('find_anything')}
          value={text}
          onInput={(e) => setText(e.currentTarget.value)}
          onKeyDown={onKey}
          autofocus
          dir="auto"
        />
      </div>
      <div
        id="palette-list"
        role="listbox"
        aria-label={t('palette')}
        class="max-h-[56vh] overflow-y-auto p-2"
        tabIndex={-1}
      >
        {groups.map(
          ([head, choices]) =>
            choices.length > 0 && (
              <div key={head} role="group" aria-label={head} class="mb-1">
                <p class="px-2 py-1 text-xs font-medium text-muted" aria-hidden="true">
                  {head}
                </p>
                {choices.map((c) => {
                  const i = ++n
                  return (
                    <div
                      key={i}
                      id={`pal-${i}`}
                      role="option"
                      aria-selected={i === pick}
                      class={`flex min-h-9 cursor-pointer items-center gap-2.5 rounded-md px-2 ${i === pick ? 'bg-tint' : ''}`}
                      onMouseMove={() => setAt(i)}
                      onClick={c.act}
                    >
                      <Icon name={c.icon} class="text-muted" />
                      <span class="truncate" dir="auto">
                        {c.label}
                      </span>
                      {c.more && <span class="ms-auto shrink-0 ps-2 text-xs text-muted">{c.more}</span>}
                    </div>
                  )
                })}
              </div>
            ),
        )}
      </div>
    </dialog>
  )
}
