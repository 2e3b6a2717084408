import { useEffect, useState } from 'preact/hooks'
import { get } from '../lib/api'
import { useDebounced, useMore } from '../lib/data'
import { number } from '../lib/format'
import { go, href, query, set } from '../lib/router'
import { t, type Word } from '../lib/strings'
import { Rows } from '../parts/list'
import { ContainerPick } from '../parts/pick'
import { Empty, Head, Icon, type IconName } from '../parts/ui'

export interface Thing {
  id: string
  name: string
  kind: string
  mentions: number
  aliases?: string[]
}
export const thingKinds = ['person', 'organisation', 'place', 'product']
export const thingIcon = (kind: string): IconName =>
  kind === 'person' ? 'user' : kind === 'organisation' ? 'people' : kind === 'place' ? 'web' : 'tag'

export default function People() {
  const q = query.value,
    kind = q.get('kind') ?? '',
    container = q.get('container') ?? '',
    asked = q.get('q') ?? ''
  const [text, setText] = useState(asked)
  const settled = useDebounced(text, 200)
  useEffect(() => setText(asked), [asked])
  useEffect(() => {
    if (settled.trim() !== asked) set({ q: settled.trim() })
  }, [settled])
  const of = useMore<Thing>(
    (offset, limit, s) =>
      get(
        '/v1/entities',
        { q: asked || undefined, kind: kind || undefined, container: container || undefined, offset, limit },
        s,
      ) as never,
    [asked, kind, container],
    ['memory', 'document', 'message'],
  )
  return (
    <>
      <Head title={t('nav_people')} about={t('people_about')} />
      <div class="mb-4 flex flex-wrap gap-2">
        <input
          class="field !w-64"
          type="search"
          aria-label={t('find_name')}
          placeholder={t('find_name')}
          value={text}
          onInput={(e) => setText(e.currentTarget.value)}
        />
        <select
          class="field !w-auto"
          aria-label={t('kind')}
          value={kind}
          onChange={(e) => set({ kind: e.currentTarget.value }, true)}
        >
          <option value="">{t('all_kinds')}</option>
          {thingKinds.map((k) => (
            <option key={k} value={k}>
              {t(('thing_' + k) as Word)}
            </option>
          ))}
        </select>
        <ContainerPick value={container} pick={(v) => set({ container: v }, true)} />
      </div>
      <Rows
        of={of}
        label={t('nav_people')}
        id={(x) => x.id}
        open={(x) => go('/people/' + x.id)}
        empty={
          asked || kind || container ? (
            <Empty title={t('nothing_matches')}>
              <a class="link" href={href('/people')}>
                {t('clear_filters')}
              </a>
            </Empty>
          ) : (
            <Empty title={t('no_people')}>{t('no_people_about')}</Empty>
          )
        }
        row={(x) => (
          <div class="flex flex-wrap items-center gap-x-3">
            <Icon name={thingIcon(x.kind)} class="text-muted" />
            <a class="font-medium hover:underline wrap-any" dir="auto" href={href('/people/' + x.id)}>
              {x.name}
            </a>
            <span class="text-muted">{t(('thing_' + x.kind) as Word)}</span>
            {(x.aliases ?? []).length > 0 && (
              <span class="text-muted wrap-any" dir="auto">
                {t('also', x.aliases!.join(', '))}
              </span>
            )}
            <span class="num ms-auto text-muted">{t('mentions_n', number(x.mentions))}</span>
          </div>
        )}
      />
    </>
  )
}
