// Takes a picture of pages while they are worked on: node test/shot.mjs URL KEY OUT [light|dark] [WIDTH] PATH...
import { chromium } from 'playwright-core'
const [, , base, key, out, scheme, width, ...paths] = process.argv
const browser = await chromium.launch({
  executablePath: process.env.LUKASA_TEST_CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
const ctx = await browser.newContext({
  viewport: { width: Number(width), height: Number(process.env.H || 860) },
  colorScheme: scheme,
  locale: process.env.L || 'en-GB',
})
const page = await ctx.newPage()
page.on('console', (m) => ['error', 'warning'].includes(m.type()) && console.log('console:', m.text()))
page.on('pageerror', (e) => console.log('error:', e.message))
await page.goto(base + '/dashboard/')
await page.evaluate(
  (k) =>
    fetch('/dashboard/session', {
      method: 'POST',
      headers: { 'X-Lukasa-Dashboard': '1' },
      body: JSON.stringify({ key: k }),
    }),
  key,
)
for (const p of paths) {
  await page.goto(base + '/dashboard' + p)
  await page.waitForTimeout(Number(process.env.WAIT || 900))
  await page.screenshot({
    path: `${out}/${(p.replace(/[^a-z0-9]+/gi, '_') || 'home').slice(0, 60)}-${scheme}-${width}.png`,
    fullPage: !!process.env.FULL,
  })
}
await browser.close()
