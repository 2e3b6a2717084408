import { href } from '../lib/router'
import { t } from '../lib/strings'
import { MemoryView, openMemory } from '../parts/memoryview'
import { Icon } from '../parts/ui'

export default function MemoryPage({ id }: { id: string }) {
  return (
    <div class="mx-auto max-w-3xl">
      <a class="mb-5 inline-flex items-center gap-1.5 text-muted hover:text-text" href={href('/memories')}>
        <Icon name="back" />
        {t('nav_memories')}
      </a>
      <MemoryView key={id} id={id} moved={openMemory} />
    </div>
  )
}
