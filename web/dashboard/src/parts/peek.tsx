// What is peeked at beside a list. It is not modal: the list stays in reach, and j and k walk through it.
import { useEffect, useRef, useState } from 'preact/hooks'
import { stored } from '../lib/data'
import { useKeys } from '../lib/keys'
import { set } from '../lib/router'
import { t } from '../lib/strings'
import { MemoryView } from './memoryview'
import { Button } from './ui'

export function PeekPanel({ id, close }: { id: string; close: () => void }) {
  const ref = useRef<HTMLElement>(null)
  const [width, setWidth] = useState(() => Math.min(stored.get('peek', 460), innerWidth * 0.6))
  const from = useRef<Element | null>(document.activeElement)
  const shut = () => {
    close()
    ;(from.current as HTMLElement | null)?.focus?.()
  }
  useKeys({ Escape: shut })
  useEffect(() => {
    ref.current!.style.setProperty('--peek', width + 'px')
  }, [width])
  const drag = (e: PointerEvent) => {
    const bar = e.currentTarget as HTMLElement
    bar.setPointerCapture(e.pointerId)
    const rtl = getComputedStyle(bar).direction === 'rtl'
    const move = (m: PointerEvent) =>
      setWidth(Math.max(340, Math.min(innerWidth * 0.7, rtl ? m.clientX : innerWidth - m.clientX)))
    bar.addEventListener('pointermove', move)
    bar.addEventListener(
      'pointerup',
      () => {
        bar.removeEventListener('pointermove', move)
        stored.set('peek', Math.round(ref.current!.offsetWidth))
      },
      { once: true },
    )
  }
  return (
    <aside
      ref={ref}
      aria-label={t('peek')}
      class="rise border-s border-line bg-surface max-lg:fixed max-lg:inset-x-0 max-lg:bottom-0 max-lg:z-30 max-lg:max-h-[72dvh] max-lg:rounded-t-lg max-lg:border-t max-lg:shadow-[0_-8px_30px_rgb(0_0_0/.18)] lg:sticky lg:top-[49px] lg:h-[calc(100dvh-49px)] lg:w-[var(--peek)] lg:shrink-0 overflow-y-auto"
    >
      <div
        class="absolute inset-y-0 start-0 w-1.5 cursor-col-resize max-lg:hidden"
        onPointerDown={drag}
        aria-hidden="true"
      />
      <div class="sticky top-0 z-10 flex items-center justify-between bg-surface px-5 pt-3">
        <span class="text-xs font-medium text-muted">{t('peek')}</span>
        <Button bare icon="close" aria-label={t('close')} onClick={shut} />
      </div>
      <div class="px-5 pb-8">
        {id.startsWith('mem_') ? (
          <MemoryView key={id} id={id} narrow moved={(to) => set({ peek: to })} />
        ) : (
          <p class="py-6 text-muted wrap-any">{t('err_404')}</p>
        )}
      </div>
    </aside>
  )
}
