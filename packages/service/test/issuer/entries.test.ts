import { expect, test } from 'vitest'
import { definedEntries, entry } from '../../src/domain/writes/entries.ts'
// Defines every kind.
import '../../src/issuer/index.ts'
import { OF_TESTS } from './entries-suite.ts'

const HOUR = 3_600
const DAY = 86_400

test('every kind of record that expires has the lifetime, and the sealed member, that are listed here', () => {
  const found = definedEntries()
    .filter(({ kind }) => kind !== OF_TESTS)
    .map(({ kind, seconds, sealed }) => [kind, seconds, sealed])
  expect(found.sort()).toEqual([
    ['BegunImpersonation', 90 * DAY, undefined],
    ['Consent', 365 * DAY, undefined],
    // As long as the consent, as a program.
    ['ConsentName', 365 * DAY, undefined],
    ['ContestToken', 7 * DAY, undefined],
    ['DeviceNews', 180 * DAY, undefined],
    ['Enrolment', HOUR, 'seed'],
    ['Impersonation', 90 * DAY, undefined],
    ['KeyChallenge', HOUR, undefined],
    ['KnownDevice', 180 * DAY, undefined],
    ['LateSessions', 90 * DAY, undefined],
    ['LoginProgress', HOUR, undefined],
    ['MailCode', 600, 'code'],
    ['PendingMail', HOUR, undefined],
    ['Program', 365 * DAY, undefined],
    // A day, or as long as the consent to it.
    ['RegisteredClient', undefined, undefined],
    ['ResetToken', HOUR, undefined],
    ['SocialLink', HOUR, undefined],
    ['SocialProof', 1_800, undefined],
    ['SocialState', 1_800, undefined],
    // As long as the tenant says.
    ['TrustedDevice', undefined, undefined],
    ['UndoToken', 7 * DAY, undefined],
    ['VerifyToken', DAY, undefined],
  ])
})

test('two kinds of records with the same name are refused', () => {
  expect(() => entry(OF_TESTS, 60)).toThrow(`Two kinds of records are called "${OF_TESTS}".`)
})
