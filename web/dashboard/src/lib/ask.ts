// What is typed into the search field: words, and filters like kind:fact in:work after:30d -tag:old. The text is the one truth; chips are drawn from it.
export interface Part {
  name: string
  value: string
  not: boolean
  text: string
}
export interface Asked {
  words: string
  parts: Part[]
}

export const filterNames = [
  'in',
  'kind',
  'type',
  'tag',
  'speaker',
  'conversation',
  'entity',
  'after',
  'before',
  'as_of',
] as const
const alias: Record<string, string> = { container: 'in', project: 'in', from: 'after', since: 'after', until: 'before' }

export function parse(text: string): Asked {
  const parts: Part[] = []
  const words = text.replace(
    /(^|\s)(-?)([a-z_]+):("[^"]*"|[^\s"]+)/g,
    (all, lead: string, not: string, name: string, value: string) => {
      const n = alias[name] ?? name
      if (!(filterNames as readonly string[]).includes(n)) return all
      parts.push({ name: n, value: value.replace(/^"|"$/g, ''), not: not === '-', text: all.trim() })
      return lead
    },
  )
  return { words: words.replace(/\s+/g, ' ').trim(), parts }
}

export const without = (text: string, part: Part) => text.replace(part.text, '').replace(/\s+/g, ' ').trim()
export const withPart = (text: string, name: string, value: string) =>
  `${text.trim()} ${name}:${/\s/.test(value) ? `"${value}"` : value}`.trim()

/** moment reads 30d, 6w, 3m, 1y, 12h as that long ago, and dates as they are. */
export function moment(value: string, now = Date.now()) {
  const m = /^(\d+)([hdwmy])$/.exec(value)
  if (!m) return value
  const hours = { h: 1, d: 24, w: 168, m: 730, y: 8766 }[m[2] as 'h']
  const at = new Date(now - Number(m[1]) * hours * 3600e3)
  at.setUTCSeconds(0, 0)
  return at.toISOString()
}

/** body is the request of what was asked. */
export function body({ words, parts }: Asked, ranker: string, limit: number) {
  const and: Record<string, unknown>[] = []
  const out: Record<string, unknown> = { query: words, limit, include: ['explain', 'related'] }
  if (ranker) out.ranker = ranker
  const containers = parts.filter((p) => p.name === 'in' && !p.not).map((p) => p.value)
  if (containers.length) out.containers = containers
  const types = parts.filter((p) => p.name === 'type' && !p.not).map((p) => p.value)
  if (types.length) out.types = types
  const fields: Record<string, string> = {
    kind: 'kind',
    tag: 'tags',
    speaker: 'speaker',
    conversation: 'conversation',
    entity: 'entity',
    type: 'type',
    in: 'container',
  }
  for (const p of parts) {
    if (p.name === 'as_of') {
      out.as_of = moment(p.value)
      continue
    }
    if (p.name === 'after' || p.name === 'before') {
      and.push({ [p.name]: moment(p.value) })
      continue
    }
    if ((p.name === 'in' || p.name === 'type') && !p.not) continue
    if (p.name === 'in') continue
    const leaf = { [fields[p.name]!]: [p.value] }
    and.push(p.not ? { not: leaf } : leaf)
  }
  if (and.length) out.filters = and.length === 1 ? and[0] : { and }
  return out
}
