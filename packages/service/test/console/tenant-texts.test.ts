import { describe, expect, test, vi } from 'vitest'
import { createBrowser } from '../issuer/support/browser.ts'
import { startMailServer } from './mail-server.ts'
import {
  fieldsOf,
  on,
  press,
  sendChanges,
  sendForm,
  startConsole,
  stores,
  textOf,
} from './support.ts'
import { aTenant } from './tenant.ts'

const german = {
  language: 'de',
  mail_reset_subject: 'Ihr Zugang bei {company}',
  mail_reset_text: 'Mit dem Knopf setzen Sie ein Passwort.\r\nEr gilt {duration}.',
  login_title: 'Willkommen im Verein',
  login_text: 'Nur für Mitglieder.',
}

describe.each(stores)('on %s, the texts of a tenant', (store) => {
  test('are looked at before they are saved, and are in pages and mails of their language', async () => {
    await using running = await startConsole(on(store))
    const tenant = await aTenant(running, { companyName: 'Acme' })
    await tenant.addUser()
    const operator = await running.logIn({ role: 'admin' })
    const texts = `${tenant.path}/texts`
    const form = await operator.get(`${texts}?language=de`)
    expect(textOf(form.html)).toContain('{company}')

    const review = await sendForm(operator, texts, german)
    expect(review.status).toBe(200)
    expect(review.html).toContain('Er gilt 1 Stunde.')
    expect(review.html).toContain('Willkommen im Verein')
    expect(review.headers.get('content-security-policy')).toContain("'unsafe-hashes'")
    expect((await tenant.call('GET', `/x/v1/tenants/${tenant.id}/texts`)).body).toEqual({
      type: 'TenantTexts',
    })
    const saved = await sendForm(operator, `${texts}/save`, german, texts)
    expect(saved.location).toBe(`${texts}?language=de&done=saved`)
    const { body } = await tenant.call('GET', `/x/v1/tenants/${tenant.id}/texts`)
    const { language: _, ...own } = german
    expect(body.de).toEqual({ ...own, mail_reset_text: own.mail_reset_text.replace('\r\n', ' ') })

    const url = `https://${tenant.domain}`
    const visitor = createBrowser({ url, fetch: running.service.fetch as never })
    visitor.headers['accept-language'] = 'de'
    const login = await visitor.get('/account')
    expect(login.html).toContain('<h1>Willkommen im Verein</h1>')
    expect(login.html).toContain('Nur für Mitglieder.')
    const english = createBrowser({ url, fetch: running.service.fetch as never })
    english.headers['accept-language'] = 'en'
    expect((await english.get('/account')).html).toContain('<h1>Log in</h1>')
    const audit = textOf((await operator.get(`${tenant.path}/audit`)).html)
    expect(audit).toContain('Login page, Heading (German) to “Willkommen im Verein”')
  })

  test('that are refused come back with the reason and with what was typed', async () => {
    await using running = await startConsole(on(store))
    const tenant = await aTenant(running)
    const operator = await running.logIn({ role: 'admin' })
    const texts = `${tenant.path}/texts`
    for (const action of [texts, `${texts}/save`, `${texts}/test`]) {
      const fields = { language: 'en', mail: 'reset', login_text: 'Go to evil.example' }
      const refused = await sendForm(operator, action, fields, texts)
      expect(refused.status).toBe(422)
      expect(textOf(refused.html)).toContain('“evil.example”, which leads elsewhere')
      expect(refused.html).toContain('>Go to evil.example</textarea>')
    }
  })

  test('need a login of the last five minutes, and lose to a change that was made meanwhile', async () => {
    await using running = await startConsole(on(store))
    const tenant = await aTenant(running)
    const operator = await running.logIn({ role: 'admin' })
    const viewer = await running.logIn({ role: 'viewer' })
    const texts = `${tenant.path}/texts`
    const opened = await operator.get(texts)
    const theirs = { login_title: 'Hi', signup_title: 'Join us' }
    await tenant.call('POST', `/x/v1/tenants/${tenant.id}/texts`, { en: theirs })
    const mine = { login_title: 'Hello', login_text: 'Go to evil.example' }
    const refused = await sendChanges(operator, texts, mine, { opened, action: `${texts}/save` })
    expect(refused.status).toBe(409)
    const changes = { login_text: 'For members' }
    for (const action of [texts, `${texts}/save`, `${texts}/test`]) {
      const sent = { ...mine, ...changes, mail: 'reset' }
      const late = await sendChanges(operator, texts, sent, { opened, action })
      expect(late.status).toBe(409)
      expect(textOf(late.html)).toMatch(/Stored now:\s*Hi/)
      expect(fieldsOf(late.html, texts)).toContainEqual(['signup_title', 'Join us'])
    }
    expect((await viewer.get(texts)).html).toContain('<fieldset disabled>')
    const forbidden = await press(viewer, await viewer.get(texts), `${texts}/save`, {})
    expect(forbidden.status).toBe(403)
    const stored = async () =>
      (await tenant.call('GET', `/x/v1/tenants/${tenant.id}/texts`)).body.en
    expect(await stored()).toEqual(theirs)
    const kept = await sendChanges(operator, texts, changes, { opened: refused })
    expect(kept.status).toBe(200)
    const saved = await sendChanges(operator, texts, changes, {
      ...{ opened: refused, action: `${texts}/save` },
    })
    expect(saved.status).toBe(303)
    expect(await stored()).toEqual({ ...theirs, ...changes, login_title: 'Hello' })
  })
})

test('a test of a message goes to the own address of the operator, and says what it is', async () => {
  await using server = await startMailServer()
  server.state.code = undefined
  await using running = await startConsole({ mail: server.mail })
  const tenant = await aTenant(running, { companyName: 'Acme' })
  const operator = await running.logIn({ role: 'admin', email: 'ops@example.com' })
  const texts = `${tenant.path}/texts`
  const sent = await sendForm(
    operator,
    `${texts}/test`,
    { language: 'en', mail: 'code', mail_code_text: 'For {application}: {duration}.' },
    texts,
  )
  expect(textOf(sent.html)).toContain('The test is on its way to your own address.')
  await vi.waitFor(() => expect(server.received.join()).toContain('For Acme: 10 minutes.'))
  const message = server.received.find((one) => one.includes('10 minutes')) ?? ''
  expect(message).toContain('To: ops@example.com')
  expect(message).toContain('Subject: Test: Your code for Acme')
})
