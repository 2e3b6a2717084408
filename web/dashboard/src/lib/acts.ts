// What a person does to records, with the way back.
import { get, json, type Memory } from './api'
import { say } from '../parts/ui'
import { t } from './strings'

const each = async (ids: string[], fn: (id: string) => Promise<unknown>) => {
  const rest = [...ids]
  let first: unknown
  await Promise.all(
    Array.from({ length: Math.min(4, ids.length) }, async () => {
      for (let id = rest.shift(); id && !first; id = rest.shift()) {
        try {
          await fn(id)
        } catch (err) {
          first ??= err
        }
      }
    }),
  )
  if (first) throw first
}

/** forget puts records into the trash, and offers to take them out again. */
export async function forget(
  what: 'memories' | 'documents' | 'conversations' | 'messages',
  ids: string[],
  label?: string,
) {
  await each(ids, (id) => json('DELETE', `/v1/${what}/${id}`, { query: { soft: true } }))
  say(
    ids.length === 1
      ? t('forgotten_one', label ? '“' + cut(label) + '”' : t('one_record'))
      : t('forgotten_many', ids.length),
    {
      undo: () => each(ids, (id) => json('POST', `/v1/trash/${id}/restore`)),
    },
  )
}
export const cut = (s: string, n = 60) => (s.length > n ? s.slice(0, n - 1).trimEnd() + '…' : s)

/** patch changes memories, and offers to put back what was. */
export async function patchMemories(list: Memory[], change: (m: Memory) => Partial<Memory>, done: string) {
  const before = new Map(list.map((m) => [m.id, m]))
  const turns = new Map(list.map((m) => [m.id, change(m)]))
  await each([...before.keys()], (id) => json('PATCH', '/v1/memories/' + id, { body: turns.get(id) }))
  say(done, {
    undo: () =>
      each([...before.keys()], (id) => {
        const old = before.get(id)!
        return json('PATCH', '/v1/memories/' + id, {
          body: Object.fromEntries(
            Object.keys(turns.get(id)!).map((k) => [
              k,
              k === 'state' ? old.state || 'active' : (old[k as keyof Memory] ?? null),
            ]),
          ),
        })
      }),
  })
}

/** correct says a memory in other words: a new version that takes the place of the old one, which stays. */
export const correct = (m: Memory, content: string, more: { kind?: string; tags?: string[]; reason?: string } = {}) =>
  json<Memory>('POST', '/v1/memories', {
    body: {
      content,
      updates: m.id,
      container: m.container,
      kind: more.kind ?? m.kind,
      tags: more.tags ?? m.tags ?? [],
      reason: more.reason || undefined,
    },
  })

/** chain lists all versions of what a memory says, newest first. */
export async function chain(m: Memory, signal?: AbortSignal): Promise<Memory[]> {
  const all = new Map([[m.id, m]])
  for (let todo = [m.id]; todo.length && all.size < 60;) {
    const next: string[] = []
    for (const id of todo) {
      const near = await get('/v1/memories/{id}/related', { type: 'updates', depth: 1 }, signal, { id })
      for (const r of near.items ?? [])
        if (r.relationship === 'updates' && !all.has(r.id)) {
          all.set(r.id, r as unknown as Memory)
          next.push(r.id)
        }
    }
    todo = next
  }
  return [...all.values()].sort(
    (a, b) => Number(b.is_latest) - Number(a.is_latest) || b.recorded_at.localeCompare(a.recorded_at),
  )
}
