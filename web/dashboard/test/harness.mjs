// A real server on a data directory of its own, and a real browser. LUKASA_BIN names the binary, LUKASA_TEST_CHROMIUM the browser.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { chromium } from 'playwright-core'
import { caller } from './seed.mjs'

export const here = import.meta.dirname
const binary = resolve(process.env.LUKASA_BIN || join(here, '../../../bin/lukasa'))
const browserAt =
  process.env.LUKASA_TEST_CHROMIUM ||
  ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)

/** lacking says what the tests need and do not find; '' where all is there. */
export const lacking = !browserAt
  ? 'needs chromium: apt-get install chromium, or set LUKASA_TEST_CHROMIUM'
  : !existsSync(binary)
    ? 'needs the binary: make build, or set LUKASA_BIN'
    : ''

const freePort = () =>
  new Promise((done) => {
    const s = createServer().listen(0, '127.0.0.1', () => {
      const { port } = s.address()
      s.close(() => done(port))
    })
  })
/** clean is the environment without variables of lukasa: those of the test are not the server's. */
const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('LUKASA_')))
export const pause = (ms) => new Promise((done) => setTimeout(done, ms))

/** until tries fn until it holds, and fails with what it last said. */
export async function until(fn, what, ms = 8000) {
  const end = Date.now() + ms
  for (let last; ; await pause(40)) {
    try {
      last = await fn()
      if (last) return last
    } catch (err) {
      last = err
    }
    if (Date.now() > end) throw new Error(`${what}: not within ${ms} ms (last: ${last})`)
  }
}

export async function server(settings = {}) {
  const data = await mkdtemp(join(tmpdir(), 'lukasa-dashboard-'))
  const port = await freePort()
  const key = 'sk_test_0123456789abcdefghijklmnop'
  const base = `http://127.0.0.1:${port}`
  let child,
    said = '',
    ended = ''
  const start = async () => {
    said = ended = ''
    child = spawn(binary, ['serve', '--data', data, '--listen', `127.0.0.1:${port}`], {
      env: { ...clean, LUKASA_API_KEY: key, LUKASA_RATE_LIMIT: '0', LUKASA_LOG_LEVEL: 'warn', ...settings },
    })
    child.stdout.on('data', (b) => (said += b))
    child.stderr.on('data', (b) => (said += b))
    child.once('exit', (code, signal) => (ended = signal || `exit code ${code}`))
    await until(
      async () => {
        if (ended) return true
        return (await fetch(base + '/ready')).ok && said.includes('pages')
      },
      'the server starts',
      60000, // it takes 0.2 s; a machine that runs other tests beside may stall
    ).catch((err) => {
      throw new Error(err.message + '; it said: ' + said)
    })
    if (ended) throw new Error(`the server ended (${ended}): ${said}`)
  }
  const stop = async (signal = 'SIGTERM') => {
    if (ended) return
    const gone = new Promise((done) => child.once('exit', done))
    child.kill(signal)
    await gone
  }
  await start()
  return {
    base,
    key,
    data,
    start,
    stop,
    call: caller(base, key),
    link: () => /(http\S+#link=\S+)/.exec(said)[1],
    said: () => said,
    end: async () => {
      await stop('SIGKILL')
      await rm(data, { recursive: true, force: true })
    },
    run: (...args) =>
      new Promise((done) => {
        const c = spawn(binary, args, { env: { ...clean, LUKASA_API_KEY: key, LUKASA_SERVER: base } })
        let out = ''
        c.stdout.on('data', (b) => (out += b))
        c.stderr.on('data', (b) => (out += b))
        c.on('exit', (code) => done({ code, out }))
      }),
  }
}

let shared
export const browser = async () =>
  (shared ??= await chromium.launch({ executablePath: browserAt, headless: true, args: ['--no-sandbox'] }))
export const closeBrowser = async () => {
  await shared?.close()
  shared = undefined
}

/** visit opens a window that is signed in, and watches it: errors, broken policies, requests to elsewhere. */
export async function visit(
  s,
  {
    path = '/',
    key = s.key,
    width = 1280,
    height = 860,
    scheme = 'light',
    locale = 'en-GB',
    signedIn = true,
    init,
  } = {},
) {
  const context = await (
    await browser()
  ).newContext({
    viewport: { width, height },
    colorScheme: scheme,
    locale,
    timezoneId: 'Europe/Prague',
    reducedMotion: 'reduce',
  })
  await context.addInitScript(() =>
    addEventListener('securitypolicyviolation', (e) =>
      console.error('CSP', e.violatedDirective, e.blockedURI, e.sourceFile, e.lineNumber),
    ),
  )
  if (init) await context.addInitScript(init)
  if (signedIn) {
    const res = await context.request.post(s.base + '/dashboard/session', {
      data: { key },
      headers: { 'X-Lukasa-Dashboard': '1', Origin: s.base },
    })
    if (res.status() !== 204) throw new Error('sign in: ' + res.status() + ' ' + (await res.text()))
  }
  const troubles = [],
    foreign = [],
    requests = []
  const watch = (page) => {
    page.on('console', (m) => m.type() === 'error' && troubles.push(m.text() + ' ' + (m.location().url ?? '')))
    page.on('pageerror', (e) => troubles.push('exception: ' + e.message))
    page.on('request', (r) => {
      requests.push(r)
      if (!r.url().startsWith(s.base) && !/^(data|blob):/.test(r.url())) foreign.push(r.url())
    })
  }
  context.on('page', watch)
  const page = await context.newPage()
  const open = async (to, p = page) => {
    await p.goto(s.base + '/dashboard' + to)
    await settle(p)
  }
  await open(path)
  return { page, context, open, troubles, foreign, requests, close: () => context.close() }
}

/** settle waits until a page has loaded what it shows. */
export async function settle(page) {
  await until(
    () =>
      page.evaluate(
        () =>
          !!document.querySelector('main :is(h1, h2, article, [role=alert])') &&
          !document.querySelector('[aria-busy="true"]'),
      ),
    'the page settles: ' + page.url(),
    15000,
  )
}

export const text = (file) => readFile(file, 'utf8')

/** slowness is how much longer the same work takes now than at its best, 1 to 6: on a machine that others use, too, times are worth as much less. */
export const slowness = (page) =>
  page.evaluate(async () => {
    const times = []
    for (let i = 0; i < 25; i++) {
      const t = performance.now()
      let x = 0
      for (let k = 0; k < 6e6; k++) x = (x * 31 + k) | 0
      times.push(performance.now() - t + (x === 1 ? 1 : 0))
      await new Promise((done) => setTimeout(done, 4))
    }
    times.sort((a, b) => a - b)
    return Math.max(1, Math.min(6, times[22] / times[0]))
  })
