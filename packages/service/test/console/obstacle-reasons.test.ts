import { describe, expect, test } from 'vitest'
import {
  type LoginFacts,
  loginObstacles,
  type ObstacleReason,
} from '../../src/domain/factors/login-obstacles.ts'
import { sentenceOf } from '../../src/domain/factors/obstacle-sentences.ts'
import type { Pause } from '../../src/domain/limits/limits.ts'
import { defaultSettings } from '../../src/domain/tenants/tenants.ts'
import { sentenceIn } from '../../src/domain/writes/reasons/index.ts'
import {
  type Connection,
  type Credential,
  newStanding,
  type User,
} from '../../src/store/records.ts'

const settings = { ...defaultSettings, domain: 'acme.example', allowSocial: true }
const user = { disabled: false, verifiedAt: 1 } as User
const password = { kind: 'password', disabled: false } as Credential
const social = { kind: 'social', disabled: false, connectionId: 'con_1' } as Credential
const app = { kind: 'totp_app', disabled: false } as Credential
const google = { id: 'con_1', enabled: true } as Connection
const byMail = { ...settings, allowPasswords: false, allowTotpEmail: true }
const paused = (limit: Pause['limit'], network?: string): Pick<LoginFacts, 'pauses'> => ({
  pauses: [{ limit, until: 64e6, network }],
})
const off = { ...user, disabled: true }
const contested = { ...newStanding, contestedAt: 1 }
const obstaclesOf = (facts: Partial<LoginFacts>) =>
  loginObstacles({
    ...{ settings, user, standing: newStanding },
    ...{ credentials: [password], offered: [], pauses: [] },
    ...{ refusedMail: undefined, heldUntil: undefined, ...facts },
  })

describe('the reasons why a user cannot log in', () => {
  test.each<[ObstacleReason[], Partial<LoginFacts>]>([
    [[], {}],
    [['disabled'], { user: { ...user, disabled: true } }],
    [['contested'], { user: { ...user, disabled: true }, standing: contested }],
    [['disabled', 'unverified'], { user: { disabled: true, verifiedAt: undefined } as User }],
    [['disabled', 'way_disabled'], { user: off, credentials: [{ ...password, disabled: true }] }],
    [['disabled', 'no_way_in'], { user: off, credentials: [] }],
    [['disabled', 'needs_link'], { user: off, ...paused('loginAnywhere') }],
    [
      ['contested', 'address_held'],
      {
        user: { disabled: true, verifiedAt: undefined } as User,
        standing: contested,
        heldUntil: 64e6,
      },
    ],
    [
      ['way_not_allowed', 'unverified'],
      {
        user: { ...user, verifiedAt: undefined },
        settings: { ...settings, allowPasswords: false },
      },
    ],
    // An invitation and a link for a new password prove the address, too.
    [['no_way_in'], { user: { ...user, verifiedAt: undefined }, credentials: [] }],
    [[], { standing: contested }],
    [['no_way_in'], { credentials: [] }],
    [['way_disabled'], { credentials: [{ ...password, disabled: true }] }],
    [['way_not_allowed'], { settings: { ...settings, allowPasswords: false } }],
    [['connection_off'], { credentials: [social] }],
    [[], { credentials: [social], offered: [google] }],
    [[], { credentials: [social, password] }],
    [['way_not_allowed'], { credentials: [social], settings: { ...settings, allowSocial: false } }],
    [['unverified'], { user: { ...user, verifiedAt: undefined } }],
    [
      ['unverified', 'mail_refused'],
      { user: { ...user, verifiedAt: undefined }, refusedMail: 'x' },
    ],
    [['address_held'], { user: { ...user, verifiedAt: undefined }, heldUntil: 64e6 }],
    [['address_held'], { credentials: [], settings: byMail, heldUntil: 64e6 }],
    [[], { refusedMail: 'x' }],
    [['mail_refused'], { refusedMail: 'x', credentials: [], settings: byMail }],
    [['needs_link'], paused('loginAnywhere')],
    [['password_wait'], paused('loginPerAddress', '192.0.2.1')],
    [['device_wait'], paused('loginPerDevice')],
    [['client_wait'], paused('loginPerClient', '192.0.2.1')],
    [[], { ...paused('loginAnywhere'), credentials: [], settings: byMail }],
    [[], paused('factorPerUser')],
    [[], { ...paused('factorPerUser'), credentials: [password, app] }],
    [
      ['factor_wait'],
      {
        ...paused('factorPerUser'),
        credentials: [password, app],
        settings: { ...settings, allowTotpApp: true },
      },
    ],
    [[], paused('mailPerAddress')],
    [['mail_wait'], { ...paused('mailPerAddress'), credentials: [], settings: byMail }],
    [[], { credentials: [], settings: byMail }],
  ])('are %j', (reasons, facts) => {
    expect(obstaclesOf(facts).map(({ reason }) => reason)).toEqual(reasons)
  })
})

test('acts that do nothing for a disabled user are offered once the user is enabled', () => {
  const facts = { user: { disabled: true, verifiedAt: undefined } as User }
  expect(obstaclesOf(facts).map(({ help }) => help)).toEqual([['enable'], []])
  const sentences = obstaclesOf(facts).map((one) => sentenceIn('en', sentenceOf(one, 0)))
  expect(sentences[0]).toContain('Enable the user')
  expect(sentences[1]).toContain('mark the address as verified')
  const locked = obstaclesOf({ user: off, ...paused('loginAnywhere') })
  expect(locked.map(({ help }) => help)).toEqual([['enable'], ['let_try_again']])
})

test('an invitation that bounced is not suggested again, and the sentence quotes the mail server', () => {
  const [bare] = obstaclesOf({ credentials: [] })
  expect(bare?.help).toEqual(['invite'])
  const [bounced] = obstaclesOf({ credentials: [], refusedMail: '550 No such user' })
  expect(bounced?.help).toEqual([])
  expect(bounced && sentenceIn('en', sentenceOf(bounced, 0))).toContain('“550 No such user”')
})

test('if one way to log in is paused and another is not, the page says so', () => {
  const facts = { ...paused('loginPerAddress', '192.0.2.1'), offered: [google] }
  const [one] = obstaclesOf({ ...facts, credentials: [password, social] })
  expect(one && sentenceIn('en', sentenceOf(one, 0))).toBe(
    'This user can’t log in with the password from 192.0.2.1 for another 64 seconds: too many attempts have failed. Let the user try again now, or wait. Another way to log in is still open.',
  )
})
