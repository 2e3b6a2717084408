import { useState } from 'preact/hooks'
import { get, json } from '../lib/api'
import { useMore } from '../lib/data'
import { date } from '../lib/format'
import { mayWrite } from '../lib/me'
import { t, type Word } from '../lib/strings'
import { Rows } from '../parts/list'
import { Ago, Button, Confirm, Empty, fail, Head, Icon, say, type IconName } from '../parts/ui'

type Buried = { id: string; type: string; label: string; deleted_at: string; purge_at: string }
export default function Trash() {
  const of = useMore<Buried>(
    (offset, limit, s) => get('/v1/trash', { offset, limit }, s) as never,
    [],
    ['memory', 'document'],
  )
  const [ending, setEnding] = useState<Buried | 'all'>()
  const restore = (b: Buried) =>
    json('POST', `/v1/trash/${b.id}/restore`).then(() => {
      say(t('taken_out'))
      of.reload()
    }, fail)
  return (
    <>
      <Head title={t('nav_trash')} about={t('trash_about')}>
        {mayWrite.value && of.total > 0 && (
          <Button danger icon="trash" onClick={() => setEnding('all')}>
            {t('empty_trash')}
          </Button>
        )}
      </Head>
      <Rows
        of={of}
        label={t('nav_trash')}
        id={(b) => b.id}
        empty={<Empty title={t('trash_empty')}>{t('trash_empty_about')}</Empty>}
        row={(b) => (
          <div class="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Icon
              name={(b.type === 'memory' ? 'memory' : b.type === 'document' ? 'document' : 'talk') as IconName}
              class="text-muted"
            />
            <span class="serif min-w-0 grow basis-64 wrap-any" dir="auto">
              {b.label || b.id}
            </span>
            <span class="text-xs text-muted">
              {t(('node_' + b.type) as Word)} · <Ago at={b.deleted_at} /> · {t('purged_on', date(b.purge_at))}
            </span>
            {mayWrite.value && (
              <span class="flex gap-1">
                <Button icon="restore" onClick={() => restore(b)}>
                  {t('take_out')}
                </Button>
                <Button
                  bare
                  danger
                  icon="close"
                  aria-label={t('delete_for_good')}
                  title={t('delete_for_good')}
                  onClick={() => setEnding(b)}
                />
              </span>
            )}
          </div>
        )}
      />
      {ending && (
        <Confirm
          title={t('delete_for_good')}
          body={
            <p class="wrap-any">
              {ending === 'all' ? t('empty_trash_about', of.total) : t('delete_about', ending.label || ending.id)}
            </p>
          }
          label={t('delete_for_good')}
          close={() => setEnding(undefined)}
          act={() =>
            json('DELETE', ending === 'all' ? '/v1/trash' : '/v1/trash/' + ending.id).then(() => {
              say(t('deleted'))
              of.reload()
            })
          }
        />
      )}
    </>
  )
}
