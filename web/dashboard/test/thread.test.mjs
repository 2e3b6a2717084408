// The thread through the dashboard: sign in, see a memory arrive, search, read why, correct, forget and take back.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { closeBrowser, lacking, pause, server, settle, until, visit } from './harness.mjs'
import { fill } from './seed.mjs'

let s
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
const check = (name, fn) => test(name, { skip: lacking || false, timeout: 120_000 }, fn)

check('a link signs in once, a second use says what to do, and a key works', async () => {
  const link = s.link()
  const v = await visit(s, { signedIn: false, path: '/' })
  await v.page.goto(link)
  await settle(v.page)
  await v.page.getByRole('heading', { name: /Welcome/ }).waitFor()
  assert.ok(!v.page.url().includes('link='), 'the link must not stay in the address')
  const cookie = (await v.context.cookies()).find((c) => c.name.startsWith('lukasa_session'))
  assert.deepEqual([cookie.httpOnly, cookie.sameSite], [true, 'Strict'])
  const other = await visit(s, { signedIn: false })
  await other.page.goto(link)
  await other.page.reload()
  await other.page.goto(link.replace('#', '?x=1#'))
  await other.page.getByText(/has been used, has expired/).waitFor()
  await other.page.getByLabel('API key').fill('sk_wrong')
  await other.page.getByRole('button', { name: 'Sign in' }).click()
  await other.page.getByText('this key is not known').waitFor()
  await other.page.getByLabel('API key').fill(s.key)
  await other.page.getByRole('button', { name: 'Sign in' }).click()
  await other.page.getByRole('heading', { name: /Welcome/ }).waitFor()
  const made = await s.run('open', '--print')
  assert.match(made.out, /#link=\w+/)
  await v.close()
  await other.close()
})

check('what is said appears without loading the page again', async () => {
  const v = await visit(s)
  await v.page.getByText('Live', { exact: true }).waitFor()
  await s.call('POST', '/v1/memories', { content: 'The bicycle stands in the shed.', kind: 'fact', container: 'home' })
  await v.page.getByTestId('newest').getByText('The bicycle stands in the shed.').waitFor({ timeout: 2000 })
  assert.deepEqual(v.troubles, [])
  await v.close()
})

check('typing asks little, and an answer that is late is never shown', async () => {
  const v = await visit(s, { path: '/search' })
  let held
  let asked = 0
  await v.page.route('**/v1/search', async (route) => {
    asked++
    if (asked === 1) {
      held = route
      return
    }
    await route.continue()
  })
  const box = v.page.getByLabel('What to search for')
  await box.pressSequentially('boile', { delay: 20 })
  await until(() => asked >= 1, 'a search is asked')
  await pause(250)
  assert.ok(asked <= 2, `5 characters made ${asked} requests`)
  await box.fill('where does Ana live')
  await v.page
    .locator('#hit-0')
    .getByText(/Villeurbanne/)
    .first()
    .waitFor()
  await held.continue().catch(() => {}) // the page has given it up
  await pause(300)
  assert.match(await v.page.locator('#hit-0').innerText(), /Villeurbanne/)
  assert.match(await v.page.locator('#hit-0 [role=img]').getAttribute('aria-label'), /Meaning \d+ %/)
  assert.ok(new URL(v.page.url()).searchParams.get('q') === 'where does Ana live')
  await v.close()
})

check('why a record was not found', async () => {
  const v = await visit(s, { path: '/search?q=' + encodeURIComponent('green tea kind:task') })
  const tea = (await s.call('GET', '/v1/memories?kind=preference&container=home')).items.find((m) =>
    m.content.includes('green tea'),
  )
  await v.page.getByText('Is something missing?').click()
  await v.page.getByLabel('Id or address').fill(tea.id)
  await v.page.getByRole('button', { name: 'Find out' }).click()
  await v.page.getByText(/filters/).waitFor()
  await v.close()
})

check('j and k walk with the peek, reload keeps it, Back closes it', async () => {
  const v = await visit(s, { path: '/memories' })
  await v.page.locator('[role=row][data-id]').first().waitFor()
  await v.page.keyboard.press('j')
  await v.page.keyboard.press('Enter')
  const peek = v.page.getByRole('complementary', { name: 'Peek' })
  await peek.waitFor()
  for (let i = 0; i < 20; i++) {
    await v.page.keyboard.press(i < 15 ? 'j' : 'k')
    const id = new URL(v.page.url()).searchParams.get('peek')
    assert.match(id, /^mem_/)
    await peek.getByText(id).waitFor()
  }
  const at = v.page.url()
  await v.page.reload()
  await peek.getByText(new URL(at).searchParams.get('peek')).waitFor()
  await v.page.goBack()
  await peek.waitFor({ state: 'detached' })
  assert.deepEqual(v.troubles, [])
  await v.close()
})

check(
  'an edit is a new version whose difference is marked by words; restoring makes the third equal to the first',
  async () => {
    const m = await s.call('POST', '/v1/memories', {
      content: 'The meeting is on Monday at nine.',
      kind: 'fact',
      container: 'work',
    })
    const v = await visit(s, { path: '/memories/' + m.id })
    await v.page.keyboard.press('e')
    await v.page.getByLabel('Text').fill('The meeting is on Tuesday at nine.')
    await v.page.getByLabel(/Reason/).fill('moved')
    await v.page.getByRole('button', { name: 'Save' }).click()
    const chain = v.page.getByTestId('chain')
    await chain.locator('ins').waitFor()
    assert.equal(await chain.locator('ins').innerText(), 'Tuesday')
    assert.equal(await chain.locator('del').innerText(), 'Monday')
    await chain.getByText('Because: moved').waitFor()
    await chain.getByRole('button', { name: 'Restore' }).click()
    await v.page.locator('[data-version="3"]').waitFor()
    const now = await s.call('GET', '/v1/memories/' + v.page.url().split('/').pop())
    assert.equal(now.content, 'The meeting is on Monday at nine.')
    assert.equal(now.is_latest, true)
    await v.close()
  },
)

check('many are forgotten at once, and taken back', async () => {
  for (let i = 0; i < 60; i++)
    await s.call('POST', '/v1/memories', {
      content: `Shelf ${i} holds box number ${i * 7 + 3}.`,
      kind: 'fact',
      container: 'store',
    })
  const count = async () => (await s.call('GET', '/v1/memories?container=store&limit=1')).total
  const v = await visit(s, { path: '/memories?container=store' })
  const rows = v.page.locator('[role=row][data-id]')
  await rows.first().waitFor()
  await v.page.keyboard.press('j')
  for (let i = 0; i < 50; i++) {
    await v.page.keyboard.press('x')
    await v.page.keyboard.press('j')
  }
  await v.page.getByText('50 selected').waitFor()
  await v.page.keyboard.press('#')
  await until(async () => (await count()) === 10, '50 are gone')
  await v.page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
  await until(async () => (await count()) === 60, 'all 60 are back')
  await v.page.getByText('· 60').waitFor()
  assert.deepEqual(v.troubles, [])
  await v.close()
})
