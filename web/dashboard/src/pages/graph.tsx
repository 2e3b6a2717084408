import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { get, type Edge, type Vertex } from '../lib/api'
import { useData } from '../lib/data'
import { number } from '../lib/format'
import { draw, ink, type Look, Scene, type View } from '../lib/graphview'
import { go, href, query, set } from '../lib/router'
import { t, type Word } from '../lib/strings'
import { ContainerPick } from '../parts/pick'
import { Button, Empty, Head, Seg, Show } from '../parts/ui'

const shapes: Record<string, string> = {
  memory: '●',
  document: '■',
  recall_file: '▬',
  entity: '▲',
  topic: '◆',
  container: '○',
}

export default function GraphPage() {
  const q = query.value,
    container = q.get('container') ?? '',
    asOf = q.get('as_of') ?? '',
    solo = q.get('solo') === '1',
    mode = q.get('as') === 'table' ? 'table' : 'map'
  const of = useData(
    (s) =>
      get(
        '/v1/graph',
        { container: container || undefined, limit: 1000, solo: solo || undefined, as_of: asOf || undefined },
        s,
      ),
    [container, solo, asOf],
    asOf ? [] : ['memory', 'document', 'node'],
  )
  return (
    <>
      <Head title={t('nav_graph')} about={t('graph_about')}>
        <Seg
          label={t('views')}
          value={mode}
          pick={(m) => set({ as: m === 'table' ? 'table' : null }, true)}
          options={[
            { id: 'map', label: t('map') },
            { id: 'table', label: t('table') },
          ]}
        />
      </Head>
      <div class="mb-3 flex flex-wrap items-center gap-3">
        <ContainerPick value={container} pick={(v) => set({ container: v }, true)} />
        <label class="flex items-center gap-2">
          <span class="text-muted">{t('as_known_on')}</span>
          <input
            class="field !w-auto"
            type="date"
            max={new Date().toISOString().slice(0, 10)}
            value={asOf}
            onInput={(e) => set({ as_of: e.currentTarget.value }, true)}
          />
        </label>
        <label class="flex min-h-8 items-center gap-2">
          <input type="checkbox" checked={solo} onChange={() => set({ solo: solo ? null : '1' }, true)} />
          {t('graph_solo')}
        </label>
      </div>
      <Show of={of} rows={8}>
        {(g) => {
          const nodes = (g.nodes ?? []) as Vertex[],
            edges = (g.edges ?? []) as Edge[]
          if (!nodes.length)
            return (
              <Empty title={t('graph_empty')} command="lukasa add ./notes">
                {t('no_memories_about')}
              </Empty>
            )
          return (
            <>
              {mode === 'table' ? <Table nodes={nodes} edges={edges} /> : <Map nodes={nodes} edges={edges} />}
              {g.truncated && <p class="mt-2 text-muted">{t('graph_cut', 1000)}</p>}
            </>
          )
        }}
      </Show>
    </>
  )
}

const reach = (v: Vertex) =>
  v.type === 'memory'
    ? null
    : v.type === 'document'
      ? '/documents/' + v.id
      : v.type === 'recall_file'
        ? '/recall-files/' + v.id
        : v.type === 'entity'
          ? '/people/' + v.id
          : v.type === 'container'
            ? '/containers?at=' + encodeURIComponent(v.container || v.label)
            : '/search?q=' + encodeURIComponent(v.label)
function open(v: Vertex) {
  const to = reach(v)
  if (to) go(to)
  else set({ peek: v.id }, true)
}

function Map({ nodes, edges }: { nodes: Vertex[]; edges: Edge[] }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const scene = useMemo(() => new Scene(nodes, edges), [nodes, edges])
  const areas = useMemo(() => (nodes.length < 8000 ? scene.regions() : []), [scene])
  const [off, setOff] = useState(new Set<string>())
  const [offEdges, setOffEdges] = useState(new Set(['contains']))
  const [chosen, setChosen] = useState(-1)
  const [depth, setDepth] = useState('0')
  const [find, setFind] = useState('')
  const hover = useRef(-1)
  const view = useRef<View & { of?: Scene }>({ x: 0, y: 0, scale: 1 })
  const types = useMemo(() => count(nodes.map((v) => v.type)), [nodes])
  const edgeTypes = useMemo(() => count(edges.map((e) => e.type)), [edges])
  const lit = useMemo(() => {
    const word = find.trim().toLowerCase()
    if (word) return new Set(nodes.flatMap((v, i) => (v.label.toLowerCase().includes(word) ? [i] : [])))
    return chosen >= 0 && depth !== '0' ? scene.around(chosen, Number(depth)) : undefined
  }, [find, chosen, depth, scene])
  const mask = useMemo(() => Uint8Array.from(nodes, (v) => (off.has(v.type) ? 0 : 1)), [nodes, off])
  const paint = useRef(() => {})
  const inks = useRef<ReturnType<typeof ink>>(undefined)

  const fit = () => {
    const el = canvas.current!,
      b = scene.box
    view.current = {
      x: (b.x0 + b.x1) / 2,
      y: (b.y0 + b.y1) / 2,
      scale: Math.min(
        3,
        0.86 * Math.min(el.clientWidth / Math.max(60, b.x1 - b.x0), el.clientHeight / Math.max(60, b.y1 - b.y0)),
      ),
      of: scene,
    }
    paint.current()
  }
  const look = (): Look => ({
    hover: hover.current,
    chosen,
    shown: (i) => mask[i] === 1,
    mask,
    edgeShown: (type) => !offEdges.has(type),
    lit,
    regions: areas,
  })
  useEffect(() => {
    const el = canvas.current!,
      c = el.getContext('2d')!
    let waiting = 0
    const frame = () => {
      waiting = 0
      const began = performance.now(),
        ratio = devicePixelRatio || 1
      if (el.width !== Math.round(el.clientWidth * ratio)) {
        el.width = Math.round(el.clientWidth * ratio)
        el.height = Math.round(el.clientHeight * ratio)
      }
      c.setTransform(ratio, 0, 0, ratio, 0, 0)
      const did = draw(
        c,
        el.clientWidth,
        el.clientHeight,
        scene,
        view.current,
        look(),
        (inks.current ??= ink(el.parentElement!)),
      )
      el.dataset.drawn = `${did.nodes} ${did.edges} ${(performance.now() - began).toFixed(1)}`
    }
    paint.current = () => {
      waiting ||= requestAnimationFrame(frame)
    }
    if (view.current.of !== scene && (!view.current.of || view.current.of.nodes.length === 0)) fit()
    view.current.of = scene
    paint.current()
    const themed = () => {
      inks.current = undefined
      paint.current()
    }
    const media = matchMedia('(prefers-color-scheme: dark)')
    media.addEventListener('change', themed)
    const watch = new MutationObserver(themed)
    watch.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
    const sized = new ResizeObserver(() => paint.current())
    sized.observe(el)
    return () => {
      cancelAnimationFrame(waiting)
      media.removeEventListener('change', themed)
      watch.disconnect()
      sized.disconnect()
    }
  }, [scene, off, offEdges, chosen, lit])

  const world = (x: number, y: number) => {
    const el = canvas.current!,
      v = view.current
    return [(x - el.clientWidth / 2) / v.scale + v.x, (y - el.clientHeight / 2) / v.scale + v.y] as const
  }
  const at = (e: { offsetX: number; offsetY: number }) => {
    const [x, y] = world(e.offsetX, e.offsetY)
    return scene.hit(x, y, 8 / view.current.scale, (i) => !off.has(nodes[i]!.type))
  }
  const zoom = (by: number, px?: number, py?: number) => {
    const el = canvas.current!,
      v = view.current
    const cx = px ?? el.clientWidth / 2,
      cy = py ?? el.clientHeight / 2
    const [x, y] = world(cx, cy)
    v.scale = Math.max(0.01, Math.min(12, v.scale * by))
    v.x = x - (cx - el.clientWidth / 2) / v.scale
    v.y = y - (cy - el.clientHeight / 2) / v.scale
    paint.current()
  }
  const pointers = useRef(new globalThis.Map<number, { x: number; y: number }>())
  const moved = useRef(0)
  const down = (e: PointerEvent) => {
    canvas.current!.setPointerCapture(e.pointerId)
    pointers.current.set(e.pointerId, { x: e.offsetX, y: e.offsetY })
    moved.current = 0
  }
  const move = (e: PointerEvent) => {
    const last = pointers.current.get(e.pointerId)
    if (!last) {
      const i = at(e)
      if (i !== hover.current) {
        hover.current = i
        canvas.current!.style.cursor = i >= 0 ? 'pointer' : 'grab'
        canvas.current!.title = i >= 0 ? nodes[i]!.label : ''
        paint.current()
      }
      return
    }
    const others = [...pointers.current].filter(([id]) => id !== e.pointerId).map(([, p]) => p)
    if (others.length) {
      const o = others[0]!,
        before = Math.hypot(last.x - o.x, last.y - o.y),
        now = Math.hypot(e.offsetX - o.x, e.offsetY - o.y)
      if (before > 4) zoom(now / before, (e.offsetX + o.x) / 2, (e.offsetY + o.y) / 2)
    } else {
      view.current.x -= (e.offsetX - last.x) / view.current.scale
      view.current.y -= (e.offsetY - last.y) / view.current.scale
      paint.current()
    }
    moved.current += Math.abs(e.offsetX - last.x) + Math.abs(e.offsetY - last.y)
    pointers.current.set(e.pointerId, { x: e.offsetX, y: e.offsetY })
  }
  const up = (e: PointerEvent) => {
    pointers.current.delete(e.pointerId)
    if (moved.current > 5 || e.type === 'pointercancel') return
    const i = at(e)
    setChosen(i)
    if (i >= 0 && nodes[i]!.type === 'memory') set({ peek: nodes[i]!.id }, !query.value.get('peek'))
    else if (query.value.get('peek')) set({ peek: null })
  }
  useEffect(() => {
    const el = canvas.current!
    const wheel = (e: WheelEvent) => {
      e.preventDefault()
      zoom(Math.exp(-e.deltaY * (e.deltaMode ? 0.05 : 0.0016)), e.offsetX, e.offsetY)
    }
    el.addEventListener('wheel', wheel, { passive: false })
    return () => el.removeEventListener('wheel', wheel)
  }, [scene])
  const keys = (e: KeyboardEvent) => {
    const step = 60 / view.current.scale
    const act: Record<string, () => void> = {
      ArrowLeft: () => (view.current.x -= step),
      ArrowRight: () => (view.current.x += step),
      ArrowUp: () => (view.current.y -= step),
      ArrowDown: () => (view.current.y += step),
      '+': () => zoom(1.25),
      '=': () => zoom(1.25),
      '-': () => zoom(0.8),
      '0': fit,
    }
    if (!act[e.key] || e.metaKey || e.ctrlKey) return
    e.preventDefault()
    e.stopPropagation()
    act[e.key]!()
    paint.current()
  }
  const png = () =>
    canvas.current!.toBlob((b) => {
      const a = document.createElement('a')
      a.href = URL.createObjectURL(b!)
      a.download = 'lukasa-graph.png'
      a.click()
      setTimeout(() => URL.revokeObjectURL(a.href), 10_000)
    })
  const flip = (had: Set<string>, x: string) => {
    const n = new Set(had)
    n.has(x) ? n.delete(x) : n.add(x)
    return n
  }
  const picked = chosen >= 0 ? nodes[chosen] : undefined
  return (
    <section class="card overflow-hidden">
      <div class="flex flex-wrap items-center gap-2 border-b border-line px-3 py-2">
        <input
          class="field !w-44"
          type="search"
          aria-label={t('graph_find')}
          placeholder={t('graph_find')}
          value={find}
          onInput={(e) => setFind(e.currentTarget.value)}
        />
        {picked && (
          <label class="flex items-center gap-2">
            <span class="text-muted">{t('around')}</span>
            <select class="field !w-auto" value={depth} onChange={(e) => setDepth(e.currentTarget.value)}>
              <option value="0">{t('everything')}</option>
              {['1', '2', '3'].map((d) => (
                <option key={d} value={d}>
                  {t('links_n', Number(d))}
                </option>
              ))}
            </select>
          </label>
        )}
        {picked && (
          <span class="flex min-w-0 items-center gap-2">
            <span class="max-w-72 truncate font-medium" dir="auto">
              {picked.label}
            </span>
            <Button onClick={() => open(picked)}>{t('open')}</Button>
          </span>
        )}
        <span class="ms-auto flex gap-1">
          <Button bare aria-label={t('zoom_in')} title={t('zoom_in')} onClick={() => zoom(1.3)}>
            +
          </Button>
          <Button bare aria-label={t('zoom_out')} title={t('zoom_out')} onClick={() => zoom(0.77)}>
            −
          </Button>
          <Button bare icon="fit" aria-label={t('fit')} title={t('fit')} onClick={fit} />
          <Button bare icon="download" aria-label={t('save_png')} title={t('save_png')} onClick={png} />
        </span>
      </div>
      <div class="relative">
        <canvas
          ref={canvas}
          tabIndex={0}
          role="img"
          aria-label={t('graph_label', nodes.length, edges.length)}
          data-nodes={nodes.length}
          class="block h-[62vh] min-h-80 w-full touch-none"
          onPointerDown={down}
          onPointerMove={move}
          onPointerUp={up}
          onPointerCancel={up}
          onPointerLeave={() => {
            hover.current = -1
            paint.current()
          }}
          onDblClick={(e) => {
            const i = at(e)
            if (i >= 0) open(nodes[i]!)
          }}
          onKeyDown={keys}
        />
      </div>
      <div class="flex flex-wrap gap-x-4 gap-y-2 border-t border-line px-3 py-2" role="group" aria-label={t('legend')}>
        {types.map(([type, n]) => (
          <button
            key={type}
            type="button"
            class="chip"
            aria-pressed={!off.has(type)}
            onClick={() => setOff(flip(off, type))}
          >
            <span aria-hidden="true">{shapes[type] ?? '●'}</span>
            {t(('node_' + type) as Word)} <span class="num text-muted">{number(n)}</span>
          </button>
        ))}
        <span class="w-px self-stretch bg-line" />
        {edgeTypes.map(([type, n]) => (
          <button
            key={type}
            type="button"
            class="chip"
            aria-pressed={!offEdges.has(type)}
            onClick={() => setOffEdges(flip(offEdges, type))}
          >
            {t(('edge_' + type) as Word)} <span class="num text-muted">{number(n)}</span>
          </button>
        ))}
      </div>
    </section>
  )
}

const count = (list: string[]) =>
  [...list.reduce((m, x) => m.set(x, (m.get(x) ?? 0) + 1), new globalThis.Map<string, number>())].sort(
    (a, b) => b[1] - a[1],
  )

function Table({ nodes, edges }: { nodes: Vertex[]; edges: Edge[] }) {
  const [n, setN] = useState(200)
  const rows = useMemo(() => {
    const degree = new globalThis.Map<string, number>()
    for (const e of edges) for (const id of [e.source, e.target]) degree.set(id, (degree.get(id) ?? 0) + 1)
    return nodes.map((v) => ({ v, d: degree.get(v.id) ?? 0 })).sort((a, b) => b.d - a.d)
  }, [nodes, edges])
  return (
    <div class="card overflow-x-auto">
      <table class="grid-table">
        <caption class="sr-only">{t('nav_graph')}</caption>
        <thead>
          <tr>
            <th>{t('kind')}</th>
            <th>{t('text')}</th>
            <th>{t('container')}</th>
            <th class="text-end">{t('edges')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, n).map(({ v, d }) => (
            <tr key={v.id}>
              <td class="whitespace-nowrap text-muted">
                <span aria-hidden="true">{shapes[v.type]}</span> {t(('node_' + v.type) as Word)}
              </td>
              <td class="serif wrap-any" dir="auto">
                <a class="hover:underline" href={reach(v) ? href(reach(v)!) : href({ peek: v.id })}>
                  {v.label}
                </a>
              </td>
              <td class="text-muted">{v.container}</td>
              <td class="num text-end">{number(d)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {n < rows.length && (
        <p class="p-3 text-center">
          <Button onClick={() => setN(n + 200)}>{t('more')}</Button>
        </p>
      )}
    </div>
  )
}
