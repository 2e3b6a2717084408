// What was opened lately in this browser.
import { stored } from './data'

export interface Recent {
  to: string
  label: string
  icon: 'memory' | 'document' | 'talk' | 'people' | 'search'
}
export const recents = () => stored.get<Recent[]>('recents', [])
export function opened(r: Recent) {
  const label = r.label.replace(/\s+/g, ' ').slice(0, 120)
  if (label) stored.set('recents', [{ ...r, label }, ...recents().filter((x) => x.to !== r.to)].slice(0, 12))
}
