import { afterEach, expect, test, vi } from 'vitest'
import { codeOf, seedOn } from '../issuer/support/factors.ts'
import { CONSOLE, press, startConsole } from './support.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** Lets time go by, for the console and the issuer alike. */
function pass(minutes: number): void {
  vi.setSystemTime(Date.now() + minutes * 60_000)
}

test('an invited operator sets a password, adds a second step before the first page, and sees the overview', async () => {
  await using running = await startConsole()
  const { operator, token } = await running.service.admin.inviteOperator({
    email: 'ada@example.com',
    role: 'owner',
  })
  const browser = running.open()
  const invited = await browser.get(`/console/invitation?token=${token}`)
  expect(invited).toMatchObject({ status: 200, html: expect.stringContaining('ada@example.com') })
  const login = await browser.submit(invited, { password: 'correct horse battery' })
  expect(login.url).toContain(`${CONSOLE}/login`)
  const password = { email: 'ada@example.com', password: 'correct horse battery' }
  const offer = await browser.submit(login, password)
  expect(offer.url).toContain('/enrol')
  expect((await browser.get('/console')).html).not.toContain('<h1>Overview</h1>')

  const again = await browser.submit(await browser.get('/console'), password)
  const enrol = await browser.get(`${again.url}&kind=totp_app`)
  const codes = await browser.submit(enrol, { code: codeOf(seedOn(enrol)) })
  const landed = await browser.submit(codes, {})
  expect(landed).toMatchObject({ url: `${CONSOLE}/console`, status: 200 })
  expect(landed.html).toContain('<h1>Overview</h1>')
  expect(landed.html).toContain('ada@example.com')

  expect((await browser.get(`/console/invitation?token=${token}`)).status).toBe(404)
  const audit = await running.service.admin.audit({ target: operator.id })
  expect(audit.map(({ action }) => action)).toContain('operator.accept')
})

test('an operator who would not add a second step gets no page of the console', async () => {
  await using running = await startConsole()
  const { token } = await running.service.admin.inviteOperator({
    email: 'ada@example.com',
    role: 'owner',
  })
  const browser = running.open()
  const invited = await browser.get(`/console/invitation?token=${token}`)
  const login = await browser.submit(invited, { password: 'correct horse battery' })
  const password = { email: 'ada@example.com', password: 'correct horse battery' }
  const offer = await browser.submit(login, password)
  expect(offer.html).not.toContain('value="skip"')
  const declined = await press(browser, offer, offer.url, { step: 'skip' })
  expect(declined.html).not.toContain('<h1>Overview</h1>')
  expect((await browser.get('/console')).html).not.toContain('<h1>Overview</h1>')
})

test('the session cookie is for the host alone, out of reach of scripts, and sent with no form of another site', async () => {
  await using running = await startConsole()
  const ada = await running.logIn({ role: 'viewer' })
  const cookie = ada.setCookies.find((line) => line.includes('latchkey-console='))
  expect(cookie).toMatch(/^__Host-latchkey-console=/)
  for (const attribute of ['HttpOnly', 'Secure', 'SameSite=Lax', 'Path=/']) {
    expect(cookie?.toLowerCase()).toContain(attribute.toLowerCase())
  }
})

test('a visitor who asks for a page of the console logs in and lands on that page', async () => {
  await using running = await startConsole()
  await running.service.admin.inviteOperator({ email: 'ada@example.com', role: 'owner' })
  const visitor = running.open()
  const asked = await visitor.get('/console/operators')
  expect(asked.url).toContain(`${CONSOLE}/login`)
  expect(asked.html).not.toContain('ada@example.com')
})

test('after the logout an operator has no session, not even with a copy of the cookie', async () => {
  await using running = await startConsole()
  const ada = await running.logIn({ role: 'viewer' })
  const cookie = ada
    .cookies()
    .filter(({ name }) => name.includes('latchkey-console'))
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ')
  const peek = () =>
    running.service.fetch(`${CONSOLE}/console`, {
      headers: { cookie, accept: 'text/html' },
      redirect: 'manual',
    })
  expect((await peek()).status).toBe(200)
  const out = await ada.send('/console/logout', { method: 'POST' })
  await ada.get(out.location ?? '')
  expect((await peek()).status).toBe(302)
  expect((await ada.get('/console')).url).toContain('/login')
})

test('removing or disabling an operator, or lowering the role, takes effect at the next request', async () => {
  await using running = await startConsole()
  const { admin } = running.service
  const owner = await running.logIn({ role: 'owner' })
  const other = await running.logIn({ role: 'owner' })
  expect((await other.get('/console/operators')).html).toContain('Invite an operator')
  await admin.updateOperator(other.id, { role: 'viewer' })
  expect((await other.get('/console/operators')).html).not.toContain('Invite an operator')

  const page = await owner.get('/console/operators')
  const csrf = /name="csrf" value="([^"]+)"/.exec(page.html)?.[1] ?? ''
  const post = (path: string) =>
    owner.send(path, {
      method: 'POST',
      body: new URLSearchParams({ csrf }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  expect((await post(`/console/operators/${other.id}/disable`)).status).toBe(303)
  expect((await other.get('/console')).html).not.toContain('Overview')
  const third = await running.logIn({ role: 'viewer' })
  expect(third.landed.status).toBe(200)
  await admin.removeOperator(third.id)
  expect((await third.get('/console')).html).not.toContain('Overview')
})

test('dangerous actions require a login of the last five minutes', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  await using running = await startConsole()
  const owner = await running.logIn({ role: 'owner', email: 'ada@example.com' })
  const page = await owner.get('/console/operators/new')
  pass(6)
  const sent = await owner.submit(page, { email: 'bob@example.com', role: 'viewer', reach: 'all' })
  expect(sent.url).toContain(`${CONSOLE}/login`)
  expect(await running.service.admin.listOperators()).toHaveLength(1)
  const back = await owner.submit(sent, { password: 'correct horse battery' })
  expect(back.url).toContain('/console/resume?kept=')
  expect(back.html).not.toContain('bob@example.com')
  expect(await running.service.admin.listOperators()).toHaveLength(1)
  const kept = new URL(back.url).searchParams.get('kept') ?? ''
  const done = await owner.submit(back, { kept })
  expect(done.html).toContain(`${CONSOLE}/console/invitation?token=`)
  expect(done.html).toContain('bob@example.com')
  const again = await owner.submit(back, { kept })
  expect([again.status, again.html]).toEqual([404, expect.stringContaining('kept no longer')])
  const reloaded = await owner.get(back.url.replace(CONSOLE, ''))
  expect(reloaded.status).toBe(404)
})

test('a form that waits for a new login is no other operator’s, is sealed, and is forgotten after ten minutes', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  await using running = await startConsole()
  const owner = await running.logIn({ role: 'owner', email: 'ada@example.com' })
  const page = await owner.get('/console/operators/new')
  pass(6)
  const fields = { email: 'bob@example.com', role: 'viewer', reach: 'all' }
  const sent = await owner.submit(page, fields)
  const back = await owner.submit(sent, { password: 'correct horse battery' })
  const other = await running.logIn({ role: 'owner' })
  expect((await other.get(back.url.replace(CONSOLE, ''))).status).toBe(404)
  pass(4)
  expect((await owner.get(back.url.replace(CONSOLE, ''))).status).toBe(200)
  pass(7)
  expect((await owner.get(back.url.replace(CONSOLE, ''))).html).toContain('kept no longer')
  expect(await running.service.admin.listOperators()).toHaveLength(2)
})

test('a session without a request ends after 30 minutes, any session after 12 hours', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  await using running = await startConsole()
  const ada = await running.logIn({ role: 'viewer' })
  const isIn = async () => (await ada.peek('/console')).status === 200
  for (let minutes = 0; minutes < 12 * 60 - 25; minutes += 25) {
    expect(await isIn()).toBe(true)
    pass(25)
  }
  pass(25)
  expect(await isIn()).toBe(false)

  const bob = await running.logIn({ role: 'viewer' })
  pass(31)
  expect((await bob.peek('/console')).status).toBe(302)
})

test('after 30 minutes without a request a new login is required, although the issuer’s session is still valid', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  await using running = await startConsole()
  const ada = await running.logIn({ role: 'owner', email: 'ada@example.com' })
  pass(31)
  const asked = await ada.get('/console')
  expect(asked.url).toContain(`${CONSOLE}/login`)
  expect(asked.html).toContain('name="password"')
  const back = await ada.submit(asked, { password: 'correct horse battery' })
  expect(back).toMatchObject({ url: `${CONSOLE}/console`, status: 200 })
})

test('an old login at the issuer opens no console, neither by the login route nor with an address that was changed', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  await using running = await startConsole()
  const ada = await running.logIn({ role: 'owner', email: 'ada@example.com' })
  pass(31)
  const { location = '' } = await ada.peek('/console')
  const changed = new URL(location, CONSOLE)
  changed.searchParams.delete('max_age')
  expect((await ada.get(changed.href)).html).not.toContain('Overview')
  const asked = await ada.get('/console/login')
  expect(asked.url).toContain(`${CONSOLE}/login`)
  expect(asked.html).toContain('name="password"')
})

test('a service that cannot start, as a tenant has the domain of the console or mail has no server, leaves the folder free', async () => {
  const { createIdentityService } = await import('@latchkey/service')
  const { mkdtempSync, rmSync } = await import('node:fs')
  const data = mkdtempSync('/tmp/latchkey-console-')
  try {
    await using before = await createIdentityService({ data })
    await before.admin.createTenant({ domain: 'console.example' })
    await before.close()
    const start = createIdentityService({ data, consoleUrl: CONSOLE })
    await expect(start).rejects.toThrow('A tenant has the domain console.example')
    const mail = { url: 'nonsense', from: 'login@acme.example' }
    await expect(createIdentityService({ data, mail })).rejects.toThrow('smtp://host:port')
    await using after = await createIdentityService({ data, consoleUrl: 'https://other.example' })
    expect(await after.admin.listTenants()).toMatchObject([
      { settings: { domain: 'console.example' } },
    ])
  } finally {
    rmSync(data, { recursive: true })
  }
})
