import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../scripts/packages.ts'

const read = (file: string): string => readFileSync(path.join(root, file), 'utf8')
const MINUTE = 60
const DAY = 86_400
const KIB = 1_024
const MIB = 1_024 * KIB

/** Words of a page, and the constants behind them: the file in `packages`, the name, and the value that the words say. */
type Stated = readonly [
  page: string,
  words: string,
  ...constants: (readonly [file: string, name: string, value: number])[],
]

const stated: readonly Stated[] = [
  [
    'backups',
    'a passphrase of 12 characters or more',
    ['service/src/operate/backup-encryption', 'MIN_LENGTH', 12],
  ],
  [
    'backups',
    'requests stay for 7 days, the newest 1,000 of each API key',
    ['service/src/domain/writes/audit', 'REFUSED_DAYS', 7],
    ['service/src/domain/writes/audit', 'REFUSED_PER_KEY', 1_000],
  ],
  [
    'backups',
    'The old one stays valid for a day',
    ['service/src/domain/applications/applications', 'SECRET_OVERLAP_SECONDS', DAY],
  ],
  [
    'running-the-service',
    'body of a request | 256 KiB',
    ['service/src/http/body', 'MAX_BODY_BYTES', 256 * KIB],
  ],
  [
    'running-the-service',
    'requests of an API key | 100 a second',
    ['service/src/domain/limits/rate-limit', 'DEFAULT_RATE', 100],
  ],
  [
    'running-the-service',
    '8 kB in all',
    ['service/src/issuer/requests/parameter-limits', 'MAX_ALL_BYTES', 8 * KIB],
  ],
  [
    'running-the-service',
    'the service retries for a day',
    ['service/src/mail/outbox', 'GIVE_UP_SECONDS', DAY],
  ],
  [
    'helping-users',
    'at most 50 MB and 500,000 users',
    ['service/src/console/forms/uploads', 'MAX_FILE_BYTES', 50 * MIB],
    ['service/src/domain/operators/import-jobs', 'MAX_RECORDS', 500_000],
  ],
  [
    'helping-users',
    'For more than 1,000 users, type their number',
    ['service/src/console/routes/users/jobs', 'TYPED_ABOVE', 1_000],
  ],
  [
    'console',
    'A session ends after 30 minutes without a request, and after 12 hours in any case',
    ['service/src/console/gate/login', 'IDLE_SECONDS', 30 * MINUTE],
    ['service/src/console/gate/login', 'ABSOLUTE_SECONDS', DAY / 2],
  ],
  [
    'console',
    'Most changes ask for a login of the last five minutes',
    ['service/src/console/gate/login', 'FRESH_SECONDS', 5 * MINUTE],
  ],
  [
    'console',
    'It is kept for ten minutes, is used once',
    ['service/src/console/gate/kept-forms', 'KEPT_SECONDS', 10 * MINUTE],
  ],
  [
    'console',
    'it looks into the first five tenants',
    ['service/src/console/routes/service/search', 'LOOKED_INTO', 5],
  ],
  [
    'console',
    'It works once, for 24 hours',
    ['service/src/domain/operators/operators', 'INVITATION_SECONDS', DAY],
  ],
  [
    'second-factors',
    'a code of 8 digits. It works once, for ten minutes',
    ['service/src/issuer/interaction/mail/mail-code', 'DIGITS', 8],
    ['service/src/issuer/interaction/mail/mail-code', 'LIFETIME_SECONDS', 10 * MINUTE],
  ],
  [
    'second-factors',
    'the user gets ten recovery codes',
    ['service/src/domain/factors/factors', 'RECOVERY_CODES', 10],
  ],
  [
    'importing-users',
    'up to 2,000,000 rounds',
    ['service/src/domain/users/legacy-import', 'MAX_ROUNDS', 2_000_000],
  ],
  [
    'importing-users',
    'for 1 GiB of memory times passes, and for 128 lanes',
    ['service/src/domain/users/legacy-import', 'MAX_ARGON2_KIB', MIB],
    ['service/src/domain/users/legacy-import', 'MAX_ARGON2_LANES', 128],
  ],
  [
    'importing-users',
    'take at most 256 MiB for it',
    ['service/src/domain/users/password-engine', 'MAX_MEMORY_KIB', 256 * KIB],
  ],
  [
    'importing-users',
    'cost 8 to 12',
    ['service/src/domain/users/passwords', 'MIN_COST', 8],
    ['service/src/domain/users/passwords', 'MAX_COST', 12],
  ],
  [
    'webhooks',
    'The service waits 15 seconds for the answer',
    ['service/src/webhooks/index', 'TIMEOUT_MS', 15_000],
  ],
  [
    'webhooks',
    'accepts nothing for five days, is switched off',
    ['service/src/webhooks/deliver', 'SWITCH_OFF_SECONDS', 5 * DAY],
  ],
  [
    'webhooks',
    '`Retry-After` is obeyed, for an hour at most',
    ['service/src/webhooks/attempt', 'MAX_RETRY_AFTER_SECONDS', 60 * MINUTE],
  ],
  [
    'webhooks',
    'each process of the service sends to five of them at a time',
    ['service/src/webhooks/shares', 'OF_TENANT', 5],
  ],
  [
    'webhooks',
    'For 24 hours, the service signs with both',
    ['service/src/webhooks/rules', 'OVERLAP_SECONDS', DAY],
  ],
  [
    'webhooks',
    'The handler remembers for two days',
    ['core/src/webhooks/deliveries', 'REMEMBERED_SECONDS', 2 * DAY],
  ],
  [
    'webhooks',
    '`onEvent` takes longer than 60 seconds',
    ['core/src/webhooks/deliveries', 'HELD_SECONDS', 60],
  ],
  [
    'webhooks',
    'the clocks differ by more than five minutes',
    ['core/src/webhooks/handler', 'TOLERANCE_SECONDS', 5 * MINUTE],
  ],
  [
    'webhooks',
    'the body is longer than 64 KiB',
    ['core/src/http/body', 'MAX_BODY_BYTES', 64 * KIB],
  ],
  [
    'sessions',
    'at most 7,800 characters of cookies',
    ['core/src/session/session-chunks', 'MAX_LENGTH', 7_800],
  ],
  [
    'sessions',
    'or they take more than 128 MiB',
    ['core/src/session/stores/memory-store', 'MAX_BYTES', 128 * MIB],
  ],
  [
    'sessions',
    'Adopted sessions, 400 days',
    ['core/src/login/adoption', 'KEPT_SECONDS', 400 * DAY],
  ],
  [
    'guards',
    'A form is kept for ten minutes',
    ['core/src/login/kept-forms', 'KEPT_SECONDS', 10 * MINUTE],
  ],
  [
    'guards',
    'at most 4 MiB of the store for each process, and those of users 16 MiB',
    ['core/src/login/kept-forms', 'STRANGER_BYTES', 4 * MIB],
    ['core/src/login/kept-forms', 'USER_BYTES', 16 * MIB],
  ],
  [
    'guards',
    '`maxAge` below 60 counts as 60',
    ['core/src/provider/clock', 'MIN_MAX_AGE_SECONDS', 60],
  ],
  [
    'agents',
    'One network registers up to 30 agents a minute',
    ['service/src/issuer/provider/clients/registrations', 'PER_MINUTE', 30],
  ],
  [
    'agents',
    'An agent that no user allows is forgotten after a day',
    ['service/src/issuer/provider/clients/registrations', 'UNUSED_SECONDS', DAY],
  ],
  [
    'agents',
    '`application/json` of at most 10 KiB',
    ['service/src/issuer/provider/clients/client-documents', 'MAX_BYTES', 10 * KIB],
  ],
  [
    'fapi',
    'expires within 10 minutes',
    ['service/src/issuer/provider/clients/client-proofs', 'MAX_ASSERTION_SECONDS', 10 * MINUTE],
  ],
  [
    'fapi',
    "at most 60 seconds ahead of the service's",
    ['service/src/issuer/provider/clients/client-proofs', 'MAX_AHEAD_SECONDS', 60],
  ],
  [
    'fapi',
    'A proof is at most 5 minutes old',
    ['service/src/issuer/provider/clients/client-proofs', 'PROOF_SECONDS', 5 * MINUTE],
  ],
  [
    'fapi',
    'at most every 10 seconds',
    ['service/src/issuer/provider/clients/client-keys', 'PAUSE_MS', 10_000],
  ],
  [
    'fapi',
    'The service takes up to 20 keys',
    ['service/src/domain/applications/application-profile', 'MAX_PUBLISHED', 20],
  ],
  [
    'account-page',
    'about more than ten logins in a day',
    ['service/src/issuer/interaction/progress/known-device', 'NOTICES_A_DAY', 10],
  ],
  [
    'account-page',
    'It works for seven days and once',
    ['service/src/issuer/interaction/mail/undo-token', 'SECONDS', 7 * DAY],
  ],
  [
    'account-page',
    'the first 256 characters of the `User-Agent`',
    ['service/src/wire/client', 'MAX_USER_AGENT', 256],
  ],
  [
    'social-login',
    'metadata is used for an hour',
    ['service/src/issuer/social/configurations', 'FRESH_MS', 3_600_000],
  ],
  [
    'passwords',
    'the least number of characters, 8 to 24. Default 8',
    ['service/src/domain/ways/password-policy', 'LEAST_CHARACTERS', 8],
    ['service/src/domain/ways/password-policy', 'MOST_LEAST_CHARACTERS', 24],
  ],
  [
    'passwords',
    'If there is no answer within two seconds, the password is accepted, and nothing is asked for a minute',
    ['service/src/egress/leaked-passwords', 'TIMEOUT_MS', 2_000],
    ['service/src/egress/leaked-passwords', 'PAUSE_MS', 60_000],
  ],
  [
    'logging',
    'at most ten a minute with the same code, and one a minute while',
    ['core/src/log/log', 'LINES', 10],
    ['core/src/log/log', 'OUTAGE_LINES', 1],
  ],
  [
    'sockets',
    'Each process looks its open sessions up every ten seconds',
    ['core/src/session/session-watch', 'POLL_MILLISECONDS', 10_000],
  ],
  [
    'sockets',
    "the newest 100 connections of a session, and the newest 1,000 of a user's bearer tokens",
    ['core/src/session/session-watch', 'MAX_OF_SESSION', 100],
    ['core/src/session/session-watch', 'MAX_OF_BEARER', 1_000],
  ],
  [
    'hono',
    'after a hundred reconnects of one page',
    ['core/src/session/session-watch', 'MAX_OF_SESSION', 100],
  ],
  [
    'one-login',
    'binds all three to this browser for ten minutes',
    ['core/src/login/transaction', 'TRANSACTION_SECONDS', 10 * MINUTE],
  ],
  [
    'faq',
    'The mailed link sets a password, and is good for seven days',
    ['service/src/issuer/interaction/mail/messages', 'INVITE_SECONDS', 7 * DAY],
  ],
]

/** The prose of a guide in one line, with tables whose cells are one space apart. */
const proseOf = (page: string): string => read(`docs/guides/${page}.md`).replaceAll(/\s+/g, ' ')

test.for(stated.map(([page, words]) => ({ page, words })))(
  'the guide $page says "$words"',
  ({ page, words }) => {
    expect(proseOf(page)).toContain(words)
  },
)

/** The value of a constant that is made of numbers alone. */
function numberOf(file: string, name: string): number | undefined {
  const [, value = ''] =
    new RegExp(`const ${name}(?:: \\w+)? = ([\\d_ *]+)$`, 'm').exec(read(`packages/${file}.ts`)) ??
    []
  if (!value) return undefined
  return value
    .split('*')
    .map((factor) => Number(factor.replaceAll('_', '')))
    .reduce((product, factor) => product * factor)
}

test.for(stated.flatMap(([, words, ...constants]) => constants.map((one) => ({ words, one }))))(
  'the code has the number of "$words"',
  ({ one: [file, name, value] }) => {
    expect(numberOf(file, name)).toBe(value)
  },
)

test('every metadata key and setting that a page names is one that the sources know', () => {
  // Printed commands make databases with such names.
  const files = ['packages/*/src/**/*.ts', 'examples/guides/shell/*.sh']
  const sources = globSync(files, { cwd: root }).map(read).join('\n')
  const pages = globSync(
    ['README.md', 'docs/*.md', 'docs/guides/*.md', 'docs/providers/*.md', 'packages/*/README.md'],
    { cwd: root, exclude: ['**/node_modules/**'] },
  )
  const named = pages.flatMap((page) =>
    [...read(page).matchAll(/(?<!#)\b(?:latchkey_[a-z]+(?:_[a-z]+)*|allow_[a-z_]+)\b/g)].map(
      ([name]) => ({ page, name }),
    ),
  )
  expect(named.length).toBeGreaterThan(100)
  expect(named.filter(({ name }) => !sources.includes(name))).toEqual([])
})
