// Files dropped anywhere in the window are uploaded. What is dragged within the page is left alone.
import { useEffect, useState } from 'preact/hooks'
import { go, path } from '../lib/router'
import { t } from '../lib/strings'
import { mayWrite } from '../lib/me'
import { queue } from '../lib/uploads'
import { Icon } from './ui'

export function DropZone() {
  const [over, setOver] = useState(false)
  useEffect(() => {
    let depth = 0
    const files = (e: DragEvent) => mayWrite.value && !!e.dataTransfer?.types.includes('Files')
    const on: [string, (e: DragEvent) => void][] = [
      [
        'dragenter',
        (e) => {
          if (files(e)) {
            e.preventDefault()
            depth++
            setOver(true)
          }
        },
      ],
      [
        'dragover',
        (e) => {
          if (files(e)) e.preventDefault()
        },
      ],
      [
        'dragleave',
        (e) => {
          if (files(e) && --depth <= 0) {
            depth = 0
            setOver(false)
          }
        },
      ],
      [
        'drop',
        (e) => {
          if (!files(e)) return
          e.preventDefault()
          depth = 0
          setOver(false)
          if (path.value === '/transfer') return // that page takes archives itself
          queue([...e.dataTransfer!.files])
          if (path.value !== '/upload') go('/upload')
        },
      ],
    ]
    for (const [name, fn] of on) addEventListener(name, fn as EventListener)
    return () => {
      for (const [name, fn] of on) removeEventListener(name, fn as EventListener)
    }
  }, [])
  if (!over) return null
  return (
    <div class="pointer-events-none fixed inset-3 z-50 grid place-items-center rounded-lg border-2 border-dashed border-accent bg-tint/90 text-xl font-semibold text-accent">
      <span class="flex items-center gap-3">
        <Icon name="upload" size={28} />
        {t('drop_here')}
      </span>
    </div>
  )
}
