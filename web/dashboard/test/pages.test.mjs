// Every page: its outline, what assistive programs and small windows need, and that nothing of what is kept can run in it.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { closeBrowser, here, lacking, pause, server, settle, until, visit } from './harness.mjs'
import { attack, fill, hostile } from './seed.mjs'

let s
const at = {}
const check = (name, fn) => test(name, { skip: lacking || false, timeout: 600_000 }, fn)
before(async () => {
  if (lacking) return
  s = await server()
  await fill(s.call)
  const one = async (path) => (await s.call('GET', path)).items[0]
  at.memory = (await s.call('GET', '/v1/memories?tag=deploy')).items.find((m) => m.is_latest).id
  at.document = (
    await s.call('GET', '/v1/documents?title=' + encodeURIComponent('Decision: queue in the store'))
  ).items[0].id
  at.conversation = (await one('/v1/conversations?container=work.acme')).id
  at.recall = (await one('/v1/recall-files?container=work.acme')).id
  at.person = (await one('/v1/entities?q=Ana')).id
  const gone = await s.call('POST', '/v1/memories', {
    content: 'The old shed was green.',
    kind: 'fact',
    container: 'home',
  })
  await s.call('DELETE', `/v1/memories/${gone.id}?soft=true`)
})
after(async () => {
  await closeBrowser()
  await s?.end()
})

const pages = () => ({
  home: '/',
  search: '/search?q=' + encodeURIComponent('where does Ana live'),
  'search-empty': '/search',
  ask: '/ask',
  memories: '/memories',
  'memories-peek': '/memories?peek=' + at.memory,
  memory: '/memories/' + at.memory,
  documents: '/documents',
  document: '/documents/' + at.document,
  'document-chunks': `/documents/${at.document}?tab=chunks`,
  'document-about': `/documents/${at.document}?tab=about`,
  conversations: '/conversations',
  'recall-files': '/conversations?tab=files',
  conversation: `/conversations/${at.conversation}?container=work.acme`,
  'recall-file': '/recall-files/' + at.recall,
  graph: '/graph',
  'graph-table': '/graph?as=table',
  people: '/people',
  person: '/people/' + at.person,
  timeline: '/timeline',
  containers: '/containers?at=work.acme',
  review: '/review',
  upload: '/upload',
  transfer: '/transfer',
  trash: '/trash',
  activity: '/activity',
  'activity-live': '/activity?tab=live',
  jobs: '/jobs',
  playground: '/playground?q=launch',
  setup: '/setup',
  settings: '/settings',
  users: '/settings?tab=users',
  about: '/settings?tab=about',
  nowhere: '/nowhere',
})

/** plain takes out of an outline what differs from day to day. */
const plain = (outline) =>
  outline
    .replace(/\b(mem|doc|conv|msg|node|ent|key|usr|chk|file|rcp)_[0-9a-z]{20,}/g, 'ID')
    .replace(/\b(\d+ (seconds?|minutes?|hours?|days?|months?) ago|now|this minute|yesterday|in \d+ \w+)\b/g, 'AGO')
    .replace(/\b\d{1,2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec) \d{4}(, \d\d:\d\d)?/g, 'DATE')
    .replace(/\b(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,? \d{1,2} \w+ \d{4}/g, 'DAY')
    .replace(
      /\b\d{1,2} (January|February|March|April|May|June|July|August|September|October|November|December) \d{4}\b/g,
      'DAY',
    )
    .replace(/\d{4}-W\d\d|\d{4}-\d\d(-\d\d)?/g, 'DATE')
    .replace(/127\.0\.0\.1:\d+/g, 'HOST')
    .replace(/\d[\d.,]*( (kB|MB|byte|ms))?/g, '#')
    .replace(/sk_\S+/g, 'KEY')

/** bones is what of an outline stays where the content differs by the day, by timings or by ties: what can be worked with, each once. */
const bones = (outline) =>
  [
    ...new Set(
      outline
        .split('\n')
        .map((line) => line.trim())
        .filter((line) =>
          /^- (heading .*level=1|button|tab |tablist|textbox|searchbox|combobox|checkbox|slider|group|table|img)/.test(
            line,
          ),
        ),
    ),
  ].join('\n')
const unsteady = new Set([
  'timeline',
  'activity',
  'activity-live',
  'playground',
  'about',
  'graph',
  'graph-table',
  'search',
  'people',
  'person',
  'recall-file',
  'containers',
])

check('the outline of each page is the one that is kept (ARIA goldens)', async () => {
  const v = await visit(s)
  const different = []
  await mkdir(join(here, 'goldens'), { recursive: true })
  for (const [name, path] of Object.entries(pages())) {
    await v.open(path)
    await pause(250)
    await settle(v.page)
    const whole = plain(await v.page.locator('main').ariaSnapshot())
    const got = (unsteady.has(name) ? bones(whole) : whole) + '\n'
    const file = join(here, 'goldens', name + '.yaml')
    if (process.env.UPDATE_GOLDENS || !existsSync(file)) {
      assert.ok(process.env.UPDATE_GOLDENS, `${file} is missing: UPDATE_GOLDENS=1 npm test writes it`)
      await writeFile(file, got)
      continue
    }
    const want = await readFile(file, 'utf8')
    if (got !== want) {
      different.push(name)
      await writeFile(file + '.got', got)
    }
  }
  assert.deepEqual(
    different,
    [],
    'these outlines changed; compare NAME.yaml with NAME.yaml.got, and run UPDATE_GOLDENS=1 npm test if that is meant',
  )
  assert.deepEqual(v.troubles, [])
  assert.deepEqual(v.foreign, [])
  await v.close()
})

for (const scheme of ['light', 'dark']) {
  for (const width of [1280, 360]) {
    check(`nothing stands in the way of anybody: axe, ${scheme}, ${width} px`, async () => {
      const axe = await readFile(join(here, '../node_modules/axe-core/axe.min.js'), 'utf8')
      const v = await visit(s, { scheme, width, height: width < 500 ? 740 : 860 })
      const found = []
      for (const [name, path] of Object.entries(pages())) {
        await v.open(path)
        await pause(150)
        await v.page.evaluate(axe)
        const r = await v.page.evaluate(() =>
          window.axe.run(document, {
            runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
            resultTypes: ['violations'],
          }),
        )
        for (const x of r.violations)
          found.push(
            `${name}: ${x.id}: ${x.nodes
              .slice(0, 3)
              .map((n) => n.html.slice(0, 160) + ' ' + (n.any[0]?.message ?? ''))
              .join(' | ')}`,
          )
        const over = await v.page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        )
        if (over > 0) found.push(`${name}: scrolls ${over} px sideways`)
      }
      assert.deepEqual(found, [])
      assert.deepEqual(v.troubles, [])
      assert.deepEqual(v.foreign, [])
      await v.close()
    })
  }
}

check('at 200 % nothing scrolls sideways', async () => {
  const v = await visit(s, { width: 640, height: 430 })
  for (const [name, path] of Object.entries(pages())) {
    await v.open(path)
    assert.ok(
      (await v.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)) <= 0,
      name,
    )
  }
  await v.close()
})

check('dialogs too pass axe, and take and give back the focus', async () => {
  const axe = await readFile(join(here, '../node_modules/axe-core/axe.min.js'), 'utf8')
  const v = await visit(s, { path: '/memories' })
  const look = async (what) => {
    await v.page.evaluate(axe)
    const r = await v.page.evaluate(() =>
      window.axe.run(document, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
        resultTypes: ['violations'],
      }),
    )
    assert.deepEqual(
      r.violations.map((x) => x.id + ' ' + x.nodes[0].html),
      [],
      what,
    )
  }
  await v.page.keyboard.press('?')
  await v.page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await look('help')
  await v.page.keyboard.press('Escape')
  const button = v.page.getByRole('button', { name: 'New memory' })
  await button.focus()
  await v.page.keyboard.press('Enter')
  await v.page.getByRole('dialog').waitFor()
  await look('editor')
  await v.page.keyboard.press('Escape')
  assert.ok(await button.evaluate((b) => b === document.activeElement), 'the focus returns')
  await v.close()
})

check('the palette finds live, opens with Enter, and Escape gives the focus back', async () => {
  const v = await visit(s, { path: '/documents' })
  const link = v.page.getByRole('link', { name: 'Pollen test' })
  await link.focus()
  await v.page.keyboard.press('Control+k')
  await v.page.getByRole('combobox', { name: 'Find anything' }).pressSequentially('green tea')
  const hit = v.page.getByRole('option').filter({ hasText: 'green tea in the morning' }).first()
  await hit.waitFor()
  await v.page.keyboard.press('Escape')
  assert.ok(await link.evaluate((b) => b === document.activeElement), 'the focus returns')
  await v.page.keyboard.press('Control+k')
  await v.page.getByRole('combobox', { name: 'Find anything' }).pressSequentially('trash')
  await v.page.getByRole('option', { name: 'Trash', exact: true }).waitFor()
  for (let i = 0; i < 20; i++) {
    if ((await v.page.getByRole('option', { name: 'Trash', exact: true }).getAttribute('aria-selected')) === 'true')
      break
    await v.page.keyboard.press('ArrowDown')
  }
  await v.page.keyboard.press('Enter')
  await v.page.getByRole('heading', { name: 'Trash' }).waitFor()
  await v.close()
})

check('German, right to left, and the chosen theme from the first frame', async () => {
  const v = await visit(s, { locale: 'de-DE', path: '/memories' })
  await v.page.getByRole('heading', { name: 'Erinnerungen' }).waitFor()
  assert.equal(await v.page.evaluate(() => document.documentElement.lang), 'de')
  await v.open('/documents')
  assert.equal(
    await v.page.getByRole('link', { name: 'מסע לירושלים' }).evaluate((a) => getComputedStyle(a).direction),
    'rtl',
  )
  await v.page.getByRole('button', { name: /Darstellung/ }).click()
  await v.page.getByRole('button', { name: /Darstellung: hell/ }).click()
  await v.page.getByRole('button', { name: /Darstellung: dunkel/ }).waitFor()
  await v.page.addInitScript(() => {
    const look = () =>
      document.body
        ? (window.__first ??=
            getComputedStyle(document.body).colorScheme + ' ' + document.documentElement.dataset.theme)
        : requestAnimationFrame(look)
    requestAnimationFrame(look)
  })
  await v.open('/')
  assert.match(await v.page.evaluate(() => window.__first), /dark/)
  await v.close()
})

check('the first load is small, and comes from here alone', async () => {
  const v = await visit(s, { path: '/nowhere' })
  let js = 0,
    css = 0
  const names = new Set(v.requests.map((r) => r.url()).filter((u) => /\.(js|css)$/.test(u)))
  await v.open('/')
  for (const r of v.requests) names.add(r.url())
  for (const url of names) {
    if (!/\/assets\/.*\.(js|css)$|theme\.js$/.test(url)) continue
    const n = Number(
      (await fetch(url, { method: 'HEAD', headers: { 'Accept-Encoding': 'gzip' } })).headers.get('content-length'),
    )
    if (url.endsWith('.css')) css += n
    else js += n
  }
  assert.ok(js > 10_000 && js <= 60 * 1024, `first load: ${js} bytes of JS`)
  assert.ok(css <= 12 * 1024, `first load: ${css} bytes of CSS`)
  await v.close()
})

check('what is kept stays text: scripts, handlers, javascript:, SVG, CSS, Markdown tricks', async () => {
  const w = await server()
  try {
    await attack(w.call)
    const list = async (path) => (await w.call('GET', path)).items
    const docs = await list('/v1/documents?limit=50&container=attacks'),
      mems = await list('/v1/memories?limit=50&container=attacks'),
      talks = await list('/v1/conversations?limit=50&container=attacks'),
      people = await list('/v1/entities?limit=20'),
      files = await list('/v1/recall-files?limit=20')
    assert.ok(docs.length >= hostile.length + 1 && mems.length >= hostile.length && talks.length === hostile.length)
    const v = await visit(w)
    const visitAll = [
      '/',
      '/search?q=' + encodeURIComponent('attack memory said plain words'),
      '/memories',
      '/documents',
      '/conversations',
      '/conversations?tab=files',
      '/people',
      '/graph',
      '/graph?as=table',
      '/timeline',
      '/containers?at=attacks',
      '/review',
      '/activity',
      '/playground?q=attack',
      '/search?q=' + encodeURIComponent(hostile[1]),
      '/memories?tag=' + encodeURIComponent(hostile[0]),
      '/memories/' + encodeURIComponent(hostile[1]),
      '/containers?at=' + encodeURIComponent(hostile[3]),
      ...docs.flatMap((d) => ['', '?tab=chunks', '?tab=about', '?tab=memories'].map((x) => `/documents/${d.id}${x}`)),
      ...mems.map((m) => '/memories/' + m.id),
      ...talks.map((c) => `/conversations/${c.id}?container=attacks`),
      ...files.map((f) => '/recall-files/' + f.id),
      ...people.map((p) => '/people/' + p.id),
    ]
    for (const path of visitAll) {
      await v.page.goto(w.base + '/dashboard' + path)
      await until(
        () =>
          v.page.evaluate(
            () =>
              !!document.querySelector('main :is(h1, h2, article, [role=alert])') &&
              !document.querySelector('[aria-busy=true]'),
          ),
        'settles: ' + path,
        15000,
      )
      const bad = await v.page.evaluate(() => ({
        ran: window.__pwned,
        scripts: [...document.scripts].filter((x) => !x.src).length,
        handlers: [...document.querySelectorAll('*')].filter((e) =>
          [...e.attributes].some((a) => a.name.startsWith('on')),
        ).length,
        links: [...document.querySelectorAll('a')].filter((a) =>
          /^\s*(javascript|data|vbscript):/i.test(a.getAttribute('href') ?? ''),
        ).length,
        frames: document.querySelectorAll('iframe, object, embed, base').length,
        hidden: getComputedStyle(document.body).display,
      }))
      assert.deepEqual(bad, { ran: undefined, scripts: 0, handlers: 0, links: 0, frames: 0, hidden: 'block' }, path)
    }
    assert.deepEqual(v.foreign, [], 'no picture and no frame from elsewhere is asked for')
    assert.deepEqual(
      v.troubles.filter((x) => !/40[04]/.test(x)),
      [],
    )
    const html = docs.find((d) => d.title === 'page.html')
    const p = await v.context.newPage()
    const answered = await v.context.request.get(`${w.base}/v1/documents/${html.id}/content`, {
      headers: { 'Sec-Fetch-Site': 'same-origin' },
    })
    assert.match(answered.headers()['content-security-policy'], /sandbox/)
    assert.match(answered.headers()['content-disposition'], /attachment/)
    assert.equal(answered.headers()['x-content-type-options'], 'nosniff')
    await p.close()
    await v.close()
  } finally {
    await w.end()
  }
})
