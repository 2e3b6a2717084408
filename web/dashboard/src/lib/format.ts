// Numbers, moments and sizes, as the reader writes them.
import { language } from './strings'

const cache = new Map<string, Intl.DateTimeFormat | Intl.NumberFormat | Intl.RelativeTimeFormat>()
function once<T extends Intl.DateTimeFormat | Intl.NumberFormat | Intl.RelativeTimeFormat>(
  name: string,
  make: (l: string) => T,
): T {
  const key = language.value + name
  if (!cache.has(key)) cache.set(key, make(locale()))
  return cache.get(key) as T
}
/** locale keeps the reader's own variant of the chosen language: en-GB stays en-GB. */
const locale = () => navigator.languages?.find((l) => l.toLowerCase().startsWith(language.value)) ?? language.value

export const number = (n?: number, digits = 0) =>
  once('n' + digits, (l) => new Intl.NumberFormat(l, { maximumFractionDigits: digits })).format(n ?? 0)
export const percent = (n?: number) =>
  once('p', (l) => new Intl.NumberFormat(l, { style: 'percent', maximumFractionDigits: 0 })).format(n ?? 0)
export const date = (at?: string) =>
  at ? once('d', (l) => new Intl.DateTimeFormat(l, { dateStyle: 'medium' })).format(new Date(at)) : ''
export const time = (at?: string) =>
  at ? once('t', (l) => new Intl.DateTimeFormat(l, { timeStyle: 'short' })).format(new Date(at)) : ''
export const moment = (at?: string) =>
  at
    ? once('m', (l) => new Intl.DateTimeFormat(l, { dateStyle: 'medium', timeStyle: 'short' })).format(new Date(at))
    : ''
export const weekday = (at: string) =>
  once(
    'w',
    (l) => new Intl.DateTimeFormat(l, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }),
  ).format(new Date(at))

export function ago(at?: string) {
  if (!at) return ''
  const s = (Date.parse(at) - Date.now()) / 1000
  const rel = once('r', (l) => new Intl.RelativeTimeFormat(l, { numeric: 'auto', style: 'long' }))
  const size = Math.abs(s)
  if (size < 60) return rel.format(0, 'second')
  if (size < 3600) return rel.format(Math.round(s / 60), 'minute')
  if (size < 86400) return rel.format(Math.round(s / 3600), 'hour')
  if (size < 30 * 86400) return rel.format(Math.round(s / 86400), 'day')
  return date(at)
}

export function bytes(n = 0) {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte']
  let i = 0
  while (n >= 1000 && i < units.length - 1) {
    n /= 1000
    i++
  }
  return once(
    'b' + i,
    (l) =>
      new Intl.NumberFormat(l, {
        style: 'unit',
        unit: units[i]!,
        unitDisplay: 'short',
        maximumFractionDigits: i ? 1 : 0,
      }),
  ).format(n)
}

export const day = (at: string) => {
  const d = new Date(at)
  return `${d.getFullYear()}-${String(d.getMonth() + 1).padStart(2, '0')}-${String(d.getDate()).padStart(2, '0')}`
}
