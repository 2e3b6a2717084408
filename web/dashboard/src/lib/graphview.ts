// The graph on a canvas. Positions come from the server and never move here. Nodes and edges lie in grids of cells, so that a frame costs what is in
// sight, not what there is: far out nodes are dots, near by they have shapes, links and labels.
import type { Edge, Vertex } from './api'

export interface View {
  x: number
  y: number
  scale: number
} // the world's point in the middle, and pixels of a unit
export type Shape = 'memory' | 'document' | 'recall_file' | 'entity' | 'topic' | 'container'

const maxDetailed = 5000 // nodes in sight that get shapes, links and labels
const maxLinks = 1500 // links of a frame, of each kind, where many cross
const cell = 120 // world units of a cell of the grids
const key = (cx: number, cy: number) => cx * 65536 + cy + 2147483648

export class Scene {
  readonly xs: Float64Array
  readonly ys: Float64Array
  readonly rs: Float64Array
  readonly tones: Uint32Array // pixels of the dots, in the colours of tonesOf
  tonesOf?: Ink
  readonly from: Int32Array
  readonly to: Int32Array
  readonly index = new Map<string, number>()
  readonly near: number[][] = [] // by node: the edges at it
  readonly box = { x0: 0, y0: 0, x1: 1, y1: 1 }
  private nodeCells = new Map<number, number[]>()
  private edgeCells = new Map<number, number[]>()
  readonly long: number[] = [] // edges that cross many cells

  constructor(
    readonly nodes: Vertex[],
    readonly edges: Edge[],
  ) {
    const n = nodes.length
    this.xs = new Float64Array(n)
    this.ys = new Float64Array(n)
    this.rs = new Float64Array(n)
    this.tones = new Uint32Array(n)
    nodes.forEach((v, i) => {
      this.xs[i] = v.x ?? 0
      this.ys[i] = v.y ?? 0
      this.rs[i] = (v.type === 'container' ? 8 : 4) + Math.min(6, Math.sqrt(v.size || 1))
      this.index.set(v.id, i)
      this.near.push([])
      put(this.nodeCells, key(Math.floor(this.xs[i]! / cell), Math.floor(this.ys[i]! / cell)), i)
    })
    const known = edges.filter((e) => this.index.has(e.source) && this.index.has(e.target))
    this.edges = known
    this.from = Int32Array.from(known, (e) => this.index.get(e.source)!)
    this.to = Int32Array.from(known, (e) => this.index.get(e.target)!)
    known.forEach((_, i) => {
      this.near[this.from[i]!]!.push(i)
      this.near[this.to[i]!]!.push(i)
      this.place(i)
    })
    if (n) Object.assign(this.box, { x0: min(this.xs), y0: min(this.ys), x1: max(this.xs), y1: max(this.ys) })
  }

  /** place puts an edge into the cells that it crosses. */
  private place(i: number) {
    let x = this.xs[this.from[i]!]! / cell,
      y = this.ys[this.from[i]!]! / cell
    const x1 = this.xs[this.to[i]!]! / cell,
      y1 = this.ys[this.to[i]!]! / cell
    const steps = Math.ceil(Math.max(Math.abs(x1 - x), Math.abs(y1 - y)))
    if (steps > 40) {
      this.long.push(i)
      return
    }
    const dx = (x1 - x) / (steps || 1),
      dy = (y1 - y) / (steps || 1)
    let last = NaN
    for (let s = 0; s <= steps; s++, x += dx, y += dy) {
      const k = key(Math.floor(x), Math.floor(y))
      if (k !== last) put(this.edgeCells, k, i)
      last = k
    }
  }

  /** within calls back for what lies in the cells of a rectangle; more than once for an edge of several cells. */
  within(what: 'nodes' | 'edges', x0: number, y0: number, x1: number, y1: number, fn: (i: number) => void) {
    const cells = what === 'nodes' ? this.nodeCells : this.edgeCells
    const cx0 = Math.floor(x0 / cell),
      cx1 = Math.floor(x1 / cell),
      cy0 = Math.floor(y0 / cell),
      cy1 = Math.floor(y1 / cell)
    if ((cx1 - cx0 + 1) * (cy1 - cy0 + 1) > cells.size) {
      for (const list of cells.values()) for (const i of list) fn(i)
      return
    }
    for (let cx = cx0; cx <= cx1; cx++)
      for (let cy = cy0; cy <= cy1; cy++) for (const i of cells.get(key(cx, cy)) ?? []) fn(i)
  }

  /** hit is the node at a point of the world, -1 for none. */
  hit(x: number, y: number, reach: number, shown: (i: number) => boolean) {
    let best = -1,
      least = Infinity
    this.within('nodes', x - 24, y - 24, x + 24, y + 24, (i) => {
      const d = Math.hypot(this.xs[i]! - x, this.ys[i]! - y) - this.rs[i]!
      if (d < reach && d < least && shown(i)) {
        best = i
        least = d
      }
    })
    return best
  }

  /** around lists the nodes within so many links of one. */
  around(i: number, depth: number) {
    const seen = new Set([i])
    for (let ring = [i]; depth > 0 && ring.length; depth--) {
      const next: number[] = []
      for (const n of ring)
        for (const e of this.near[n]!)
          for (const m of [this.from[e]!, this.to[e]!])
            if (!seen.has(m)) {
              seen.add(m)
              next.push(m)
            }
      ring = next
    }
    return seen
  }

  /** regions are the hulls of what stands in each container. */
  regions() {
    const by = new Map<string, number[]>()
    this.nodes.forEach((v, i) => {
      if (v.container && v.type !== 'entity' && v.type !== 'topic') put(by, v.container, i)
    })
    return [...by]
      .filter(([, list]) => list.length > 1)
      .map(([path, list]) => ({ path, points: hull(list.map((i) => [this.xs[i]!, this.ys[i]!])), n: list.length }))
  }
}

function put<K>(m: Map<K, number[]>, k: K, v: number) {
  const list = m.get(k)
  list ? list.push(v) : m.set(k, [v])
}
const min = (a: Float64Array) => a.reduce((x, y) => Math.min(x, y), Infinity)
const max = (a: Float64Array) => a.reduce((x, y) => Math.max(x, y), -Infinity)

/** hull is the convex hull (Andrew's monotone chain). */
function hull(points: number[][]) {
  const p = points.toSorted((a, b) => a[0]! - b[0]! || a[1]! - b[1]!)
  const half = (list: number[][]) => {
    const out: number[][] = []
    for (const c of list) {
      for (
        let a, b;
        out.length > 1 &&
        ((a = out.at(-2)!),
        (b = out.at(-1)!),
        (b[0]! - a[0]!) * (c[1]! - a[1]!) - (b[1]! - a[1]!) * (c[0]! - a[0]!) <= 0);
      )
        out.pop()
      out.push(c)
    }
    out.pop()
    return out
  }
  return [...half(p), ...half(p.toReversed())]
}

export interface Look {
  hover: number
  chosen: number
  shown: (i: number) => boolean
  mask: Uint8Array
  edgeShown: (type: string) => boolean
  lit?: Set<number>
  regions: ReturnType<Scene['regions']>
}
export interface Ink {
  text: string
  muted: string
  line: string
  bg: string
  surface: string
  accent: string
  colors: Record<string, string>
}

/** ink reads the colours of the theme that is in force. */
export function ink(el: HTMLElement): Ink {
  const probe = document.createElement('i')
  el.append(probe)
  const read = (name: string) => {
    probe.style.color = `var(--color-${name})`
    return getComputedStyle(probe).color
  }
  const kinds = ['fact', 'preference', 'episode', 'insight', 'task', 'decision']
  const out = {
    text: read('text'),
    muted: read('muted'),
    line: read('control'),
    bg: read('bg'),
    surface: read('surface'),
    accent: read('accent'),
    colors: Object.fromEntries(kinds.map((k) => [k, read(k)])),
  }
  Object.assign(out.colors, {
    milestone: read('ok'),
    event: out.colors.episode,
    turning_point: out.colors.insight,
    document: read('muted'),
    recall_file: read('muted'),
    entity: read('preference'),
    topic: read('control'),
    container: read('accent'),
  })
  probe.remove()
  return out
}

const colorOf = (v: Vertex, p: Ink) => p.colors[v.type === 'memory' ? v.kind : v.type] ?? p.muted

/** draw paints a frame and says how many nodes and edges it drew. */
export function draw(c: CanvasRenderingContext2D, w: number, h: number, s: Scene, view: View, look: Look, p: Ink) {
  c.fillStyle = p.bg
  c.fillRect(0, 0, w, h)
  const { scale } = view
  const X = (x: number) => (x - view.x) * scale + w / 2,
    Y = (y: number) => (y - view.y) * scale + h / 2
  const x0 = view.x - w / 2 / scale - 30,
    x1 = view.x + w / 2 / scale + 30,
    y0 = view.y - h / 2 / scale - 30,
    y1 = view.y + h / 2 / scale + 30
  const seen: number[] = []
  let many = 0
  const take = (i: number) => {
    if (look.mask[i] && s.xs[i]! >= x0 && s.xs[i]! <= x1 && s.ys[i]! >= y0 && s.ys[i]! <= y1 && ++many <= maxDetailed)
      seen.push(i)
  }
  const covers = x0 <= s.box.x0 && x1 >= s.box.x1 && y0 <= s.box.y0 && y1 >= s.box.y1
  if (covers && s.nodes.length > maxDetailed) many = s.nodes.length
  else s.within('nodes', x0, y0, x1, y1, take)
  const detailed = many <= maxDetailed
  if (!detailed) return { nodes: dots(c, s, view, p, look), edges: 0 }
  regions(c, look, p, X, Y)
  const edges = links(c, s, look, p, X, Y, [x0, y0, x1, y1])
  for (const i of seen)
    shape(
      c,
      s.nodes[i]!,
      X(s.xs[i]!),
      Y(s.ys[i]!),
      Math.max(2.2, s.rs[i]! * Math.min(1.6, Math.max(0.45, scale))),
      colorOf(s.nodes[i]!, p),
      look.lit && !look.lit.has(i),
      i === look.chosen,
      p,
    )
  labels(c, s, seen, look, p, X, Y, scale)
  return { nodes: seen.length, edges }
}

function regions(c: CanvasRenderingContext2D, look: Look, p: Ink, X: (x: number) => number, Y: (y: number) => number) {
  c.lineJoin = 'round'
  for (const r of look.regions) {
    c.beginPath()
    r.points.forEach(([x, y], i) => (i ? c.lineTo(X(x!), Y(y!)) : c.moveTo(X(x!), Y(y!))))
    c.closePath()
    c.globalAlpha = 0.07
    c.fillStyle = c.strokeStyle = p.accent
    c.lineWidth = 44
    c.stroke()
    c.fill()
    c.globalAlpha = 1
  }
}

/** A dash tells kinds of links apart where colour does not. */
const dashes: Record<string, number[]> = {
  updates: [],
  supersedes: [],
  mentions: [2, 4],
  discussed_in: [6, 4],
  derives: [8, 3, 2, 3],
  contains: [1, 3],
}
function links(
  c: CanvasRenderingContext2D,
  s: Scene,
  look: Look,
  p: Ink,
  X: (x: number) => number,
  Y: (y: number) => number,
  [x0, y0, x1, y1]: number[],
) {
  const drawn = new Set<number>()
  const by = new Map<string, number[]>()
  const take = (e: number) => {
    if (drawn.has(e)) return
    drawn.add(e)
    if (look.edgeShown(s.edges[e]!.type) && look.shown(s.from[e]!) && look.shown(s.to[e]!)) put(by, s.edges[e]!.type, e)
  }
  s.within('edges', x0!, y0!, x1!, y1!, take)
  if (s.long.length < 4000) s.long.forEach(take)
  const inside = (i: number) => s.xs[i]! >= x0! && s.xs[i]! <= x1! && s.ys[i]! >= y0! && s.ys[i]! <= y1!
  if (drawn.size > maxLinks)
    for (const [type, list] of by)
      by.set(type, list.filter((e) => inside(s.from[e]!) || inside(s.to[e]!)).slice(0, maxLinks)) // what only passes by tells little
  const focus = look.hover >= 0 ? look.hover : look.chosen
  for (const [type, list] of by) {
    const strong = type === 'updates' || type === 'supersedes'
    c.strokeStyle = strong ? p.colors.task! : p.line
    c.setLineDash(list.length < 1500 ? (dashes[type] ?? []) : [])
    c.lineWidth = strong ? 1.6 : 1
    c.globalAlpha = look.lit ? 0.12 : strong ? 0.9 : 0.4
    c.beginPath()
    for (const e of list) {
      c.moveTo(X(s.xs[s.from[e]!]!), Y(s.ys[s.from[e]!]!))
      c.lineTo(X(s.xs[s.to[e]!]!), Y(s.ys[s.to[e]!]!))
    }
    c.stroke()
  }
  c.setLineDash([])
  c.globalAlpha = 1
  if (focus >= 0) {
    c.strokeStyle = p.accent
    c.lineWidth = 1.6
    c.beginPath()
    for (const e of s.near[focus]!)
      if (look.edgeShown(s.edges[e]!.type) && look.shown(s.from[e]!) && look.shown(s.to[e]!)) {
        c.moveTo(X(s.xs[s.from[e]!]!), Y(s.ys[s.from[e]!]!))
        c.lineTo(X(s.xs[s.to[e]!]!), Y(s.ys[s.to[e]!]!))
      }
    c.stroke()
  }
  return drawn.size
}

function shape(
  c: CanvasRenderingContext2D,
  v: Vertex,
  x: number,
  y: number,
  r: number,
  color: string,
  dim: boolean | undefined,
  chosen: boolean,
  p: Ink,
) {
  c.globalAlpha = dim ? 0.18 : v.dormant ? 0.45 : 1
  c.fillStyle = color
  c.beginPath()
  if (v.type === 'document') c.roundRect(x - r, y - r, r * 2, r * 2, 2)
  else if (v.type === 'recall_file') {
    c.rect(x - r, y - r * 0.7, r * 2, r * 1.4)
  } else if (v.type === 'entity') {
    c.moveTo(x, y - r * 1.25)
    c.lineTo(x + r * 1.2, y + r * 0.9)
    c.lineTo(x - r * 1.2, y + r * 0.9)
    c.closePath()
  } else if (v.type === 'topic') {
    c.moveTo(x, y - r)
    c.lineTo(x + r, y)
    c.lineTo(x, y + r)
    c.lineTo(x - r, y)
    c.closePath()
  } else c.arc(x, y, r, 0, Math.PI * 2)
  if (v.type === 'container') {
    c.fillStyle = p.surface
    c.fill()
    c.strokeStyle = color
    c.lineWidth = 2.5
    c.stroke()
  } else c.fill()
  if (chosen) {
    c.beginPath()
    c.arc(x, y, r + 5, 0, Math.PI * 2)
    c.strokeStyle = p.accent
    c.lineWidth = 2
    c.stroke()
  }
  c.globalAlpha = 1
}

/** pixel is a colour as a canvas keeps it: four bytes, red first. */
function pixel(color: string) {
  const [r, g, b] = (color.match(/[\d.]+/g) ?? []).map(Number)
  return ((255 << 24) | ((b ?? 0) << 16) | ((g ?? 0) << 8) | (r ?? 0)) >>> 0
}

let sheet: { image: ImageData; data: Uint32Array } | undefined
/** dots writes every node as a dot straight into the pixels: a call of the canvas for each would take a quarter of a second for 100,000. */
function dots(c: CanvasRenderingContext2D, s: Scene, view: View, p: Ink, look: Look) {
  const { width: w, height: h } = c.canvas,
    ratio = c.getTransform().a,
    scale = view.scale * ratio
  if (sheet?.image.width !== w || sheet.image.height !== h) {
    const image = c.createImageData(w, h)
    sheet = { image, data: new Uint32Array(image.data.buffer) }
  }
  const { image, data } = sheet
  data.fill(pixel(p.bg))
  if (s.tonesOf !== p) {
    const known = new Map<string, number>()
    s.nodes.forEach((v, i) => {
      const color = colorOf(v, p)
      if (!known.has(color)) known.set(color, pixel(color))
      s.tones[i] = known.get(color)!
    })
    s.tonesOf = p
  }
  const { xs, ys, tones } = s,
    { mask, lit } = look,
    dx = w / 2 - view.x * scale,
    dy = h / 2 - view.y * scale,
    size = Math.max(2, Math.round(ratio * 2))
  let n = 0
  for (let i = 0; i < xs.length; i++) {
    if (!mask[i] || (lit && !lit.has(i))) continue
    const x = (xs[i]! * scale + dx) | 0,
      y = (ys[i]! * scale + dy) | 0
    if (x < 0 || y < 0 || x >= w - size || y >= h - size) continue
    n++
    const tone = tones[i]!
    for (let row = 0, at = y * w + x; row < size; row++, at += w) for (let k = 0; k < size; k++) data[at + k] = tone
  }
  c.putImageData(image, 0, 0)
  return n
}

/** labels writes names from the largest node down, and passes over those that would stand on another. */
function labels(
  c: CanvasRenderingContext2D,
  s: Scene,
  seen: number[],
  look: Look,
  p: Ink,
  X: (x: number) => number,
  Y: (y: number) => number,
  scale: number,
) {
  const taken = new Set<number>()
  const rank = (i: number) =>
    (i === look.hover || i === look.chosen ? 1e6 : 0) +
    (s.nodes[i]!.type === 'container' ? 1000 : 0) +
    (s.nodes[i]!.type === 'entity' ? 100 : 0) +
    s.rs[i]!
  const order = seen.toSorted((a, b) => rank(b) - rank(a)).slice(0, 600)
  c.textAlign = 'center'
  c.textBaseline = 'top'
  let written = 0
  for (const i of order) {
    const v = s.nodes[i]!,
      focus = i === look.hover || i === look.chosen
    if (!focus && look.lit && !look.lit.has(i)) continue
    if (!focus && v.type !== 'container' && scale < (v.type === 'entity' ? 0.7 : 1.15)) continue
    const long = focus ? 70 : v.type === 'memory' ? 30 : 34
    const text = v.label.length > long ? v.label.slice(0, long - 1) + '…' : v.label
    c.font = `${v.type === 'container' ? '600 13px' : '12px'} "Inter Variable", system-ui, sans-serif`
    const w = c.measureText(text).width,
      x = X(s.xs[i]!),
      y = Y(s.ys[i]!) + s.rs[i]! * Math.min(1.6, Math.max(0.45, scale)) + 4
    const cells: number[] = []
    for (let cx = Math.floor((x - w / 2) / 24); cx <= Math.floor((x + w / 2) / 24); cx++)
      for (const cy of [Math.floor(y / 16), Math.floor((y + 14) / 16)]) cells.push(cx * 65536 + cy)
    if (!focus && cells.some((k) => taken.has(k))) continue
    for (const k of cells) taken.add(k)
    c.globalAlpha = 0.75 // a plain ground behind the letters; their outline would cost ten times as much
    c.fillStyle = p.bg
    c.fillRect(x - w / 2 - 2, y - 1, w + 4, 15)
    c.globalAlpha = 1
    if (++written > 160) break
    c.fillStyle = v.type === 'container' ? p.accent : focus ? p.text : p.muted
    c.fillText(text, x, y)
  }
}
