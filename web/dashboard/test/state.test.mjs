// What happens around the pages: several tabs, a server that goes away, keys that end, files that are broken, stores that are large.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { closeBrowser, lacking, pause, server, settle, slowness, until, visit } from './harness.mjs'
import { fill } from './seed.mjs'

let s
const check = (name, fn) => test(name, { skip: lacking || false, timeout: 300_000 }, fn)
before(async () => {
  if (!lacking) {
    s = await server()
    await fill(s.call)
  }
})
after(async () => {
  await closeBrowser()
  await s?.end()
})

check('a fresh server: the link, a key, the first memory', async () => {
  const w = await server()
  try {
    const v = await visit(w, { signedIn: false })
    await v.page.goto(w.link())
    await v.page.getByText('Nothing is remembered yet').waitFor()
    await v.page.getByRole('main').getByRole('link', { name: 'Connect an agent' }).click()
    await v.page.getByLabel('What it is for').fill('robot')
    await v.page.getByRole('button', { name: 'Make a key' }).click()
    const key = (await v.page.getByTestId('made-key').locator('pre').innerText()).trim()
    assert.match(key, /^sk_/)
    await v.page
      .getByText('Bearer ' + key)
      .first()
      .waitFor()
    await v.page.getByText('Waiting for the first memory').waitFor()
    await fetch(w.base + '/v1/memories', {
      method: 'POST',
      headers: { Authorization: 'Bearer ' + key, 'Content-Type': 'application/json' },
      body: JSON.stringify({ content: 'Robots prefer oil.', kind: 'preference' }),
    })
    await v.page.getByTestId('arrived').getByText('Robots prefer oil.').waitFor({ timeout: 1500 })
    await v.close()
  } finally {
    await w.end()
  }
})

check('eight tabs share one stream, each answers, and each sees a change', async () => {
  const v = await visit(s, { path: '/memories?container=tabs' })
  const tabs = [v.page]
  for (let i = 0; i < 7; i++) {
    const p = await v.context.newPage()
    await p.goto(s.base + '/dashboard/memories?container=tabs')
    await settle(p)
    tabs.push(p)
  }
  const streams = v.requests.filter((r) => r.url().endsWith('/v1/events')).length
  assert.equal(streams, 1, 'one stream for all tabs')
  await s.call('POST', '/v1/memories', { content: 'Eight windows look at the yard.', kind: 'fact', container: 'tabs' })
  for (const p of tabs) await p.getByText('Eight windows look at the yard.').waitFor({ timeout: 3000 })
  for (const p of tabs) {
    const ms = await p.evaluate(async () => {
      const t = performance.now()
      await (await fetch('/v1/whoami')).text()
      return performance.now() - t
    })
    assert.ok(ms < 1000, `a tab answers in ${ms} ms`)
  }
  await tabs[0].close() // it was the one that listened
  await pause(400)
  await s.call('POST', '/v1/memories', { content: 'The ninth window is painted.', kind: 'fact', container: 'tabs' })
  await tabs[5].getByText('The ninth window is painted.').waitFor({ timeout: 5000 })
  await v.close()
})

check('the server goes away and comes back: a banner, then everything as it is, nothing twice', async () => {
  const v = await visit(s, { path: '/memories?container=restart' })
  await v.page.getByText('Live', { exact: true }).waitFor()
  await s.call('POST', '/v1/memories', { content: 'Before the restart.', kind: 'fact', container: 'restart' })
  await v.page.getByText('Before the restart.').waitFor()
  await s.stop()
  try {
    await v.page.getByText('Reconnecting').waitFor({ timeout: 10_000 })
    await v.page.getByRole('link', { name: 'Documents' }).first().click()
    await v.page.getByText(/server does not answer/).waitFor()
    await v.page.getByRole('link', { name: 'Memories' }).first().click()
  } finally {
    await s.start()
  }
  await s.call('POST', '/v1/memories', { content: 'While nobody listened.', kind: 'fact', container: 'restart' })
  await v.page.getByText(/server does not answer/).waitFor({ state: 'detached', timeout: 15_000 })
  await v.open('/memories?container=restart')
  await v.page.getByText('While nobody listened.').waitFor({ timeout: 15_000 })
  await v.page.getByText('Live', { exact: true }).waitFor({ timeout: 20_000 })
  await s.call('POST', '/v1/memories', { content: 'After the restart.', kind: 'fact', container: 'restart' })
  await v.page.getByText('After the restart.').waitFor({ timeout: 5000 })
  for (const text of ['Before the restart.', 'While nobody listened.', 'After the restart.'])
    assert.equal(await v.page.locator('[role=row]', { hasText: text }).count(), 1, text)
  await v.close()
})

check('a key that is revoked ends its sessions at once, and says so; a bound key sees its part only', async () => {
  const made = await s.call('POST', '/v1/keys', { name: 'guest', container: 'travel', read_only: true })
  const v = await visit(s, { key: made.key, path: '/memories' })
  await v.page.locator('[role=row][data-id]').first().waitFor()
  const shown = await v.page.locator('[role=row][data-id]').allInnerTexts()
  assert.ok(shown.length > 0 && shown.every((x) => x.includes('travel')), shown.join('\n'))
  assert.equal(
    await v.page.getByRole('button', { name: 'New memory' }).count(),
    0,
    'a key that only reads offers no writing',
  )
  await v.open('/settings')
  assert.equal(await v.page.getByRole('tab', { name: 'Users' }).count(), 0)
  await s.call('DELETE', '/v1/keys/' + made.id)
  await v.page.getByRole('link', { name: 'Documents' }).click()
  await v.page.getByText('this key has been revoked').waitFor()
  await v.page.getByRole('button', { name: 'Sign in' }).waitFor()
  await v.close()
})

check('a foreign page can do nothing with the session, and a change needs the header', async () => {
  const v = await visit(s)
  const cookie = (await v.context.cookies()).map((c) => `${c.name}=${c.value}`).join('; ')
  const ask = async (method, path, headers, body) =>
    (await fetch(s.base + path, { method, headers: { Cookie: cookie, ...headers }, body })).status
  assert.equal(await ask('GET', '/v1/whoami', {}), 200)
  assert.equal(await ask('GET', '/v1/whoami', { Origin: 'https://evil.example' }), 403)
  assert.equal(await ask('GET', '/v1/whoami', { 'Sec-Fetch-Site': 'same-site' }), 403)
  const memory = JSON.stringify({ content: 'Forged.', kind: 'fact' })
  assert.equal(await ask('POST', '/v1/memories', { 'Content-Type': 'application/json' }, memory), 403)
  assert.equal(
    await ask(
      'POST',
      '/v1/memories',
      { 'Content-Type': 'application/json', 'X-Lukasa-Dashboard': '1', 'Sec-Fetch-Site': 'cross-site' },
      memory,
    ),
    403,
  )
  assert.equal(
    await ask(
      'POST',
      '/v1/memories',
      { 'Content-Type': 'application/json', 'X-Lukasa-Dashboard': '1', Origin: s.base },
      memory,
    ),
    201,
  )
  assert.equal(await ask('GET', '/v1/whoami', { Cookie: cookie.slice(0, -4) + 'AAAA' }), 401)
  await v.close()
})

check('dropped files: two are read, one is broken and says why; the bars only grow', async () => {
  const v = await visit(s, { path: '/' })
  const drop = await v.page.evaluateHandle(() => {
    const data = new DataTransfer()
    data.items.add(new File(['# Plum jam\n\nTwo kilos of plums, one of sugar.'], 'jam.md', { type: 'text/markdown' }))
    data.items.add(new File(['name,price\nplums,4\nsugar,2\n'.repeat(2000)], 'prices.csv', { type: 'text/csv' }))
    data.items.add(
      new File(
        [new Uint8Array([0x25, 0x50, 0x44, 0x46, 0x2d, 0x31, 0x2e, 0x37, 1, 2, 3, 4, 5, 0, 255, 254])],
        'broken.pdf',
        { type: 'application/pdf' },
      ),
    )
    return data
  })
  await v.page.evaluate(() => {
    window.bars = {}
    new MutationObserver(() => {
      for (const p of document.querySelectorAll('progress'))
        (window.bars[p.getAttribute('aria-label')] ??= []).push(p.value)
    }).observe(document.body, { subtree: true, childList: true, attributes: true })
  })
  await v.page.dispatchEvent('main', 'drop', { dataTransfer: drop })
  await v.page.getByRole('heading', { name: 'Upload' }).waitFor()
  const line = (name) => v.page.getByRole('listitem').filter({ hasText: name })
  await until(
    async () =>
      (await line('jam.md').getAttribute('data-stage')) === 'done' &&
      (await line('prices.csv').getAttribute('data-stage')) === 'done',
    'two are done',
    20_000,
  )
  await until(async () => (await line('broken.pdf').getAttribute('data-stage')) === 'failed', 'one has failed', 30_000)
  assert.match(await line('broken.pdf').locator('.text-danger').last().innerText(), /\w{3,}/)
  for (const [name, values] of Object.entries(await v.page.evaluate(() => window.bars)))
    assert.deepEqual(
      values,
      values.toSorted((a, b) => a - b),
      name,
    )
  const list = (await s.call('GET', '/v1/documents?limit=20')).items
  assert.ok(
    list.some((d) => d.title === 'Plum jam' || d.title === 'jam.md' || d.title === 'jam'),
    list.map((d) => d.title).join(),
  )
  await v.open('/documents') // as after closing the tab: the list tells the truth
  await v.page
    .getByText(/Plum jam|jam\.md/)
    .first()
    .waitFor()
  await v.close()
})

check('10 MB pasted, an unknown id, a wrong prefix: clear words, nothing lost', async () => {
  const v = await visit(s, { path: '/upload' })
  await v.page.getByLabel('Or paste a text or an address').evaluate((el) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', 'All work and no play. '.repeat(480_000))
    el.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  })
  const line = v.page.getByRole('listitem').filter({ hasText: 'Pasted text' })
  await until(
    async () => ['done', 'reading', 'failed'].includes(await line.getAttribute('data-stage')),
    'it is sent',
    60_000,
  )
  await v.open('/memories/mem_01m8636cwrffct4h5fmk6w7pv9')
  await v.page.getByRole('alert').getByText('There is no such page or record').waitFor()
  await v.page.goto(s.base + '/dashboard/documents/nonsense')
  await v.page
    .getByRole('alert')
    .getByText(/\bid\b/)
    .waitFor()
  await v.close()
})

check('10,000 memories: painted at once, few rows in the page, no long task', async () => {
  const w = await server()
  try {
    const items = Array.from({ length: 10_000 }, (_, i) => ({
      key: 'k' + i,
      memory: {
        container: 'many.p' + (i % 7),
        content: `Item ${i} stands on shelf ${i % 211} in hall ${i % 13}.`,
        kind: ['fact', 'preference', 'episode', 'task'][i % 4],
      },
    }))
    for (let i = 0; i < items.length; i += 200)
      await w.call('POST', '/v1/import/items', { items: items.slice(i, i + 200) })
    const blank = await visit(w, { path: '/nowhere' })
    const paint = (p) => p.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime)
    const empty = await until(() => paint(blank.page), 'an empty page is painted')
    await blank.close()
    const v = await visit(w, {
      path: '/memories',
      init: () => {
        window.long = []
        new PerformanceObserver((l) => {
          for (const e of l.getEntries()) window.long.push(e.duration)
        }).observe({ type: 'longtask', buffered: true })
      },
    })
    let first = await until(() => paint(v.page), 'it is painted')
    for (let i = 0; i < 2 && first > empty + 300; i++) {
      await v.open('/memories')
      first = Math.min(first, await until(() => paint(v.page), 'it is painted'))
    } // others may use the machine
    console.log(`first paint of 10,000 memories ${first} ms, of an empty page ${empty} ms`)
    assert.ok(first <= empty + 300, `first paint ${first} ms, an empty page ${empty} ms`)
    await v.page.getByText('· 10,000').waitFor()
    await v.page.evaluate(() => (window.long.length = 0))
    for (let i = 1; i <= 30; i++) {
      await v.page.evaluate((y) => scrollTo(0, y), i * 14_000)
      await pause(30)
      assert.ok((await v.page.locator('[role=row]').count()) < 120)
    }
    await until(
      () =>
        v.page.evaluate(() =>
          [...document.querySelectorAll('[role=row][data-id]')].some((r) => {
            const b = r.getBoundingClientRect()
            return b.top > 0 && b.top < innerHeight
          }),
        ),
      'rows arrive where it was scrolled to',
    )
    const long = await v.page.evaluate(() => window.long)
    const slow = await slowness(v.page)
    assert.ok(
      Math.max(0, ...long) < 200 * slow,
      `long tasks: ${long.join()}; the machine is ${slow.toFixed(1)} times as slow as at its best`,
    )
    await v.close()
  } finally {
    await w.end()
  }
})

check('the graph: the same places in two loads, names on hover, table twin; 100,000 dots move', async () => {
  const v = await visit(s, { path: '/graph' })
  const canvas = v.page.locator('canvas')
  const places = async () => (await s.call('GET', '/v1/graph?limit=1000')).nodes.map((n) => [n.id, n.x, n.y].join())
  assert.deepEqual(await places(), await places())
  const shot = async () => {
    await v.open('/graph')
    await pause(400)
    return (await canvas.screenshot()).toString('base64')
  }
  assert.equal(await shot(), await shot(), 'two loads draw the same')
  const home = (await s.call('GET', '/v1/graph?limit=1000')).nodes.find(
    (n) => n.type === 'container' && n.label === 'home',
  )
  const nodes = (await s.call('GET', '/v1/graph?limit=1000')).nodes
  const box = await canvas.boundingBox()
  const xs = nodes.map((n) => n.x),
    ys = nodes.map((n) => n.y)
  const x0 = Math.min(...xs),
    x1 = Math.max(...xs),
    y0 = Math.min(...ys),
    y1 = Math.max(...ys)
  const scale = Math.min(3, 0.86 * Math.min(box.width / Math.max(60, x1 - x0), box.height / Math.max(60, y1 - y0)))
  await v.page.mouse.move(
    box.x + box.width / 2 + (home.x - (x0 + x1) / 2) * scale,
    box.y + box.height / 2 + (home.y - (y0 + y1) / 2) * scale,
  )
  await until(async () => (await canvas.getAttribute('title')) === 'home', 'the name of the node under the pointer')
  await v.page.getByRole('button', { name: 'Table' }).click()
  assert.equal(await v.page.locator('tbody tr').count(), Math.min(200, nodes.length))
  await v.close()

  const big = await visit(s, { path: '/' })
  const N = 100_000
  await big.page.route('**/v1/graph?*', (route) => {
    let seed = 7
    const rnd = () => (seed = (seed * 16807) % 2147483647) / 2147483647
    const list = Array.from({ length: N }, (_, i) => ({
      id: 'mem_' + i,
      type: i % 3 ? 'memory' : 'document',
      kind: ['fact', 'task', 'insight'][i % 3],
      label: 'Node ' + i,
      container: 'p' + (i % 50),
      size: 1,
      x: Math.round((rnd() + ((i % 50) % 8)) * 1500),
      y: Math.round((rnd() + Math.floor((i % 50) / 8)) * 1500),
    }))
    const edges = Array.from({ length: N * 2 }, (_, i) => ({
      source: 'mem_' + (i % N),
      target: 'mem_' + ((i % N) + 50 < N ? (i % N) + 50 : 0),
      type: 'mentions',
      weight: 1,
    }))
    return route.fulfill({ json: { nodes: list, edges, truncated: false } })
  })
  await big.page.goto(s.base + '/dashboard/graph')
  await until(() => big.page.evaluate(() => document.querySelector('canvas')?.dataset.drawn), 'it is drawn', 30_000)
  // A frame of panning is compared with filling an empty canvas of the same size, in the same run.
  const frames = await big.page.evaluate(async () => {
    const c = document.querySelector('canvas')
    const run = async (act) => {
      const out = []
      for (let i = 0; i < 24; i++) {
        await new Promise((r) => requestAnimationFrame(r))
        const t = performance.now()
        act(i)
        await new Promise((r) => requestAnimationFrame(r))
        out.push(performance.now() - t)
      }
      return out.sort((a, b) => a - b)[12]
    }
    const empty = document.createElement('canvas')
    empty.width = c.width
    empty.height = c.height
    document.body.append(empty)
    const base = await run((i) => {
      const x = empty.getContext('2d')
      x.fillStyle = i % 2 ? '#eee' : '#ddd'
      x.fillRect(0, 0, empty.width, empty.height)
    })
    empty.remove()
    const press = (key) => c.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
    const far = await run((i) => press(i % 2 ? 'ArrowLeft' : 'ArrowRight'))
    const farDrawn = c.dataset.drawn
    for (let i = 0; i < 12; i++) press('+')
    await new Promise((r) => setTimeout(r, 300))
    const near = await run((i) => press(i % 2 ? 'ArrowLeft' : 'ArrowRight'))
    return { base, far, near, farDrawn, nearDrawn: c.dataset.drawn }
  })
  console.log('graph of 100,000: median ms of a frame', JSON.stringify(frames))
  assert.ok(Number(frames.farDrawn.split(' ')[0]) > 50_000, 'far out all are drawn: ' + frames.farDrawn)
  assert.ok(Number(frames.nearDrawn.split(' ')[0]) < 20_000, 'near by, what is in sight: ' + frames.nearDrawn)
  const limit = 3 * Math.max(16.7, frames.base) * (await slowness(big.page))
  assert.ok(frames.near < limit, `near by ${frames.near} ms, an empty canvas ${frames.base} ms`)
  assert.ok(frames.far < limit, `far out ${frames.far} ms, an empty canvas ${frames.base} ms`)
  await big.close()
})

check('an export that is imported: a dry run first, then a report', async () => {
  const v = await visit(s, { path: '/transfer' })
  const lines = await (
    await fetch(s.base + '/v1/export?container=health', { headers: { Authorization: 'Bearer ' + s.key } })
  ).text()
  const w = await server()
  try {
    const other = await visit(w, { path: '/transfer' })
    await other.page
      .getByTestId('import')
      .setInputFiles({ name: 'lukasa.jsonl', mimeType: 'application/x-ndjson', buffer: Buffer.from(lines) })
    await other.page.getByTestId('report').getByText('lukasa.jsonl holds').waitFor()
    assert.equal((await w.call('GET', '/v1/stats')).memories, 0, 'looking takes nothing in')
    await other.page.getByRole('button', { name: 'Take it in' }).click()
    await other.page.getByText('lukasa.jsonl was taken in').waitFor()
    assert.ok((await w.call('GET', '/v1/stats')).memories > 0)
    await other.page
      .getByTestId('import')
      .setInputFiles({ name: 'junk.zip', mimeType: 'application/zip', buffer: Buffer.from('not a zip') })
    await other.page.getByRole('alert').waitFor()
    await other.close()
  } finally {
    await w.end()
  }
  await v.close()
})

check('review: keep, decline, take back, by keys', async () => {
  const w = await server()
  try {
    for (const content of ['The gate is blue.', 'The gate is open at night.'])
      await w.call('POST', '/v1/memories', { content, kind: 'fact', container: 'yard', confidence: 0.4 })
    const v = await visit(w, { path: '/review' })
    await v.page.getByText('1 of 2').waitFor()
    await v.page.keyboard.press('a')
    await v.page.getByText('2 of 2').waitFor()
    await v.page.keyboard.press('d')
    await until(async () => (await w.call('GET', '/v1/memories?container=yard')).total === 1, 'one is declined')
    await v.page.getByText('Declined').first().waitFor()
    await v.page.keyboard.press('z')
    await until(async () => (await w.call('GET', '/v1/memories?container=yard')).total === 2, 'it is back')
    assert.equal((await w.call('GET', '/v1/memories?container=yard')).items.filter((m) => m.confidence === 1).length, 1)
    await v.close()
  } finally {
    await w.end()
  }
})
