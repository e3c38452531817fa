import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { en } from '../src/pages/texts/en.ts'

/** Sentences that promise a number, whoever else is at work, and the tests that try them at once on SQLite and PostgreSQL. */
const tried: Readonly<Record<string, readonly [file: string, title: string]>> = {
  'It works for seven days and once, without a login.': [
    'issuer/take-back',
    'M30: a link takes the account back once, of twenty at once too, and not after seven days',
  ],
  'the page demands the earlier password (at most five attempts).': [
    'issuer/used-once',
    'of many guesses at the password from before a change, made at once, five are judged',
  ],
  'A user can have up to ten passkeys and security keys, gives them names, and sees when each was used last.':
    [
      'domain/account-rules',
      'a user has at most ten passkeys and security keys, also where several are added at once',
    ],
  "With passkeys alone, a user can't add a first passkey and can't remove the last one.": [
    'domain/account-rules',
    'of the last two ways to log in, removed at once, one stays',
  ],
  'This is your only way to log in.': [
    'domain/account-rules',
    'of the last two ways to log in, removed at once, one stays',
  ],
  'Rules about several credentials (the last way to log in, at most ten keys, one set of recovery codes) were checked before the write, so two removals at once could leave none.':
    ['domain/account-rules', 'of several renewals of the recovery codes at once, one shows codes'],
  'It works once, for ten minutes, in the browser that asked for it.': [
    'issuer/used-once',
    'of several tries with one mailed code at once, one goes on',
  ],
  'A code works once.': [
    'issuer/second-steps',
    'of logins with the same code at once one succeeds',
  ],
  'Each of them works once.': [
    'issuer/second-steps',
    'of uses of one recovery code at once one succeeds',
  ],
  'Only the newest one works.': [
    'issuer/used-once',
    'of codes that are asked for at once, the newest one alone works',
  ],
  'Only the link in the newest one works.': [
    'issuer/used-once',
    'of links for a new password that are asked for at once, the newest one alone works',
  ],
  'After ten failures of a user, each further attempt has to wait, 30 seconds at first and an hour at most.':
    [
      'issuer/factor-guesses',
      'of two hundred parallel codes over many logins, no more are verified than of guesses one after another',
    ],
  ...Object.fromEntries(
    [
      'It works once, for 24 hours:',
      'The link works once, for 24 hours:',
      'The service sends a link that works once, for 24 hours.',
    ].map((sentence) => [
      sentence,
      [
        'domain/last-owner',
        'of several who accept one invitation at the same instant, one sets the password, on ',
      ] as const,
    ]),
  ),
  'the last one cannot be removed.': [
    'domain/last-owner',
    'owners who %s each other at the same instant leave one, on ',
  ],
}

/** Sentences that the search finds and that promise nothing about several who act at once. */
const others: readonly string[] = [
  // A time, a length or a cost.
  'Then, or at once at Ctrl-C, the service accepts no more connections and finishes the requests in progress, for at most `--close-seconds`.',
  'The stored record of a login has at most 10 kB.',
  'Unfinished logins take at most 500 MB.',
  'Keep this access while you are away, for up to a year',
  'Manage users, applications and tenants in your name, as far as your role may, for up to 8 hours',
  'A program that is at work right now can go on for up to five minutes.',
  'both are small and have at most one dependency.',
  'five minutes at most, unless the login made the account.',
  'at most 72 bytes, which is 72 plain letters.',
  'at most 200 characters.',
  '{operator}, of the support of {company}, logged in to your account at {time} UTC, for 15 minutes at most.',
  'at most 50 MB and 500,000 users) or lines that you paste.',
  // Of one login.
  'The account page demands at most two factors, even of users with a key, because a recovery code must be enough to remove a lost key.',
  // Of one row, in the write of that row.
  'A tenant has at most ten reserved domains, so a key cannot block more by moving its tenant often.',
]

const PROMISE =
  /\b(at most|up to \w+|works? (for [^.;]* and )?once|the last one|the newest one|your only way)\b/i

const read = (path: string) => readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8')

/** Guides of the service, and decisions about users and how they log in. */
const documents = [
  ...[
    ...['account-page', 'second-factors', 'social-login', 'console'],
    ...['helping-users', 'running-the-service', 'backups'],
  ].map((name) => `../../../docs/guides/${name}.md`),
  ...readdirSync(new URL('../../../docs/decisions', import.meta.url))
    .filter((name) => /^00(1[48]|20|36|37|40|42|5[45]|6[247]|68)/.test(name))
    .map((name) => `../../../docs/decisions/${name}`),
]

/** The sentences of a text, without its code. */
function sentencesOf(text: string): string[] {
  const prose = text.replace(/```[\s\S]*?```/g, '').replace(/\n(?=[^\n#|>\-*])/g, ' ')
  return prose
    .split('\n')
    .flatMap((line) => line.split(/(?<=[.;:])\s+/))
    .map((sentence) => sentence.replace(/^- /, '').replaceAll(/\s+/g, ' ').trim())
}

const promises = [...documents.map(read), ...Object.values(en)]
  .flatMap(sentencesOf)
  .map((sentence) => sentence.replace(/^\*\*\w+\.\*\* /, ''))
  .filter((sentence) => PROMISE.test(sentence))

test('each sentence of guides, decisions and pages that promises a number is tried at once, or promises nothing about it', () => {
  const known = new Set([...Object.keys(tried), ...others])
  expect(promises.filter((sentence) => !known.has(sentence))).toEqual([])
})

test('each sentence of the table still stands in a guide, a decision or a page', () => {
  const stated = new Set(promises)
  expect([...Object.keys(tried), ...others].filter((sentence) => !stated.has(sentence))).toEqual([])
})

describe('the test that tries', () => {
  test.each(Object.entries(tried))('"%s" runs on SQLite and PostgreSQL', (_, [file, title]) => {
    const text = read(`${file}.test.ts`)
    expect(text).toContain(title)
    expect(text).toMatch(/describe\.each\(allStoreKinds\)|PostgreSQL/)
  })
})
