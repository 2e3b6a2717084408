// Choosing a container.
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { epoch, get } from '../lib/api'
import { hear } from '../lib/live'
import { t } from '../lib/strings'

export const containers = signal<string[]>([])
let asked = -1
export function useContainers() {
  useEffect(() => {
    const read = () =>
      get('/v1/containers').then(
        (l) => (containers.value = (l.items ?? []).map((n) => n.path).sort()),
        () => {},
      )
    if (asked !== epoch.value) {
      asked = epoch.value
      void read()
    }
    return hear((n) => n.type.startsWith('node') && void read())
  }, [])
  return containers.value
}

export function ContainerPick({ value, pick, label }: { value: string; pick: (path: string) => void; label?: string }) {
  const list = useContainers()
  return (
    <select
      class="field !w-auto max-w-full"
      aria-label={label ?? t('container')}
      value={value}
      onChange={(e) => pick(e.currentTarget.value)}
    >
      <option value="">{t('all_containers')}</option>
      {value && !list.includes(value) && <option value={value}>{value}</option>}
      {list.map((c) => (
        <option key={c} value={c}>
          {c}
        </option>
      ))}
    </select>
  )
}

/** ContainerField is for writing: any path, with those that are there as suggestions. */
export function ContainerField({
  value,
  put,
  placeholder = 'work.acme',
}: {
  value: string
  put: (path: string) => void
  placeholder?: string
}) {
  const list = useContainers()
  return (
    <>
      <input
        class="field mt-1"
        list="containers"
        placeholder={placeholder}
        value={value}
        onInput={(e) => put(e.currentTarget.value)}
      />
      <datalist id="containers">
        {list.map((c) => (
          <option key={c} value={c} />
        ))}
      </datalist>
    </>
  )
}
