import { describe, expect, test } from 'vitest'
import { checkTexts, ownText, textNames, textRules } from '../../src/domain/tenants/tenant-texts.ts'
import { composeMail } from '../../src/mail/compose.ts'
import { aTenant } from '../store/records.ts'

const check = (name: string, text: string | null) => checkTexts({ en: { [name]: text } })

describe('the texts of a tenant', () => {
  test('that are missing, empty or null are ours', () => {
    expect(checkTexts({})).toEqual({})
    expect(checkTexts({ en: null, de: {} })).toEqual({})
    expect(checkTexts({ en: { login_title: null, login_text: '', signup_title: '  ' } })).toEqual(
      {},
    )
    expect(checkTexts({ de: { login_title: ' Willkommen ' } })).toEqual({
      de: { login_title: 'Willkommen' },
    })
  })

  test.each<[name: string, text: string, reason: string]>([
    ['login_titel', 'x', 'Did you mean "login_title"?'],
    ['mail_changed_subject', 'x', 'is not the name of a text'],
    ['__proto__x', 'x', 'is not the name of a text'],
    ['login_title', 'Welcome to {compnay}', 'Did you mean {company}?'],
    ['login_title', 'Welcome, {name}', 'which it cannot have'],
    ['login_title', 'Welcome {company', 'a brace that belongs to no placeholder'],
    ['login_title', 'x'.repeat(101), 'has 101 bytes; 100 is the most'],
    ['login_title', 'ü'.repeat(51), 'has 102 bytes'],
    ['mail_reset_text', 'Here is your link.', 'needs the placeholder {duration}'],
    ['mail_code_text', 'It works for {duration}.', 'needs the placeholder {application}'],
    ['login_text', 'a\nb', 'has a line break'],
    ['login_text', 'a\u202eb', 'changes the direction'],
    ['login_text', 'a\u200bb', 'has a line break, or a character that is invisible'],
    ['login_text', 'half of a pair \ud800', 'has a line break, or a character'],
    ['login_text', '<b>Hello</b>', 'Texts are plain'],
    ...[
      'Go to https://evil.example/login',
      'Go to evil.example',
      'Go to EVIL.Example/x',
      'Go to evil\uff0eexample',
      'Go to evil\u3002example',
      'Go to ｅｖｉｌ．ｃｏｍ',
      'Go to bücher.example now',
      'Go to //evil',
      'Write to help@evil',
      'Go to 10.0.0.1',
      'Go to {company}.evil',
      'Call +49 (30) 123-456',
      'www is the way',
    ].map((text): [string, string, string] => ['login_text', text, 'leads elsewhere']),
  ])('are refused: %s as "%s"', (name, text, reason) => {
    expect(() => check(name, text)).toThrow(reason)
  })

  test.each([
    'Welcome to {company}! For members, e.g. of 2026, z. B. auch d. h. Gäste: 24/7.',
    'مرحبا، 5.000 Mitglieder – “today” & tomorrow; ¿qué?',
  ])('may be: %s', (text) => {
    expect(check('login_text', text)).toEqual({ en: { login_text: text } })
  })

  test('each have a rule whose required placeholders it can have', () => {
    for (const name of textNames) {
      const { places, required } = textRules[name]
      expect(places).toEqual(expect.arrayContaining([...required]))
    }
  })

  test('are in messages, with their values, and leave the link, the code and our warning in', () => {
    const texts = checkTexts({
      en: {
        mail_reset_subject: '{company}: a new password',
        mail_reset_text: 'Your link & {duration}.',
        mail_code_text: 'For {application}, {duration}.',
      },
    })
    const base = aTenant()
    const settings = { ...base.settings, companyName: 'Acme {duration}' }
    const tenant = { ...base, settings, texts }
    const ada = { email: 'ada@example.com', profile: {}, verifiedAt: 1 }
    const link = 'https://login.example/reset?token=x'
    const reset = composeMail('reset', tenant, ada, { language: 'en', link })
    expect(reset.subject).toBe('Acme {duration}: a new password')
    expect(reset.text).toContain('Your link & 1 hour.')
    expect(reset.text).toContain(link)
    expect(reset.html).toContain('Your link &amp; 1 hour.')
    expect(reset.html).toContain(`href="${link}"`)
    const values = { code: '12345678', application: 'Shop' }
    const code = composeMail('code', tenant, ada, { language: 'en', values })
    expect(code.subject).toBe('Your code for Acme {duration}')
    expect(code.text).toContain('Your code: 12345678\n\nFor Shop, 10 minutes.\n\nWe never ask you')
    // Ours in the other language, and in a message that has no own texts.
    expect(composeMail('reset', tenant, ada, { language: 'de', link }).subject).toContain(
      'Neues Passwort',
    )
    const changed = composeMail('changed', tenant, ada, { language: 'en', link })
    expect(changed.subject).toBe('Your password for Acme {duration} was changed')
    expect(ownText(tenant, 'en', 'login_title')).toBeUndefined()
  })
})

describe('the name of a company in a message', () => {
  const { settings: base, ...rest } = aTenant()
  const ada = { email: 'ada@example.com', profile: {}, verifiedAt: 1 }

  function mailOf(companyName: string, application = 'Shop') {
    const settings = { ...base, companyName, logoImageText: companyName, domain: 'login.acme.com' }
    return composeMail('code', { ...rest, settings }, ada, {
      language: 'en',
      values: { code: '12345678', application },
    })
  }

  test.each([
    'Acme & Söhne <GmbH>',
    'acme.com',
    'Acme.com Ltd. & Co.',
    'Check24',
    'J.P. Acme',
    'شرکت\u200cها',
  ])('is as it is stored: %j', (name) => {
    const { subject, fromName, text } = mailOf(name, name)
    expect([subject, fromName]).toEqual([`Your code for ${name}`, name])
    expect(text).toContain(`for the login to ${name} that`)
  })

  test.each([
    'Acme: verify at https://evil.example/login',
    'Acme (evil.example)',
    'evil.example',
    'notacme.com',
    'acme.com.evil.example',
    'evil\u3002example',
    'security@evil.example',
    'Acme, call 0800 123 456',
    'Acme\r\nBcc: eve@evil.example',
    'Acme\nYour account is locked',
    'Acme\u2028Your account is locked',
    'Acme\u202emoc.live',
    'Your account is locked. Write to our support at once, and tell them the code that stands in this message. ',
  ])('that leads elsewhere, or is more than a name, gives way to the domain: %j', (name) => {
    const mail = mailOf(name, name)
    expect([mail.subject, mail.fromName]).toEqual([
      'Your code for login.acme.com',
      'login.acme.com',
    ])
    for (const part of [mail.text, mail.html]) {
      expect(part).not.toMatch(/evil|0800|locked|notacme|live/)
    }
  })
})
