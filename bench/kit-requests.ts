import { openContest } from './parts/contest.ts'

/**
 * The cost of a kit: CPU of the application for a page that is for logged-in people, asked for by
 * one of them and by a visitor, with sessions in the process and in Redis.
 */
const FLOOR = 'express-session'
const IN_MEMORY = [
  'express',
  FLOOR,
  'bare guard',
  'latchkey',
  'passport-openidconnect',
  'openid-client/passport',
]
const KITS = {
  memory: [...IN_MEMORY, 'express-openid-connect'],
  Redis: [
    ...[FLOOR, 'bare guard', 'latchkey', 'latchkey, node-redis'],
    ...['passport-openidconnect', 'openid-client/passport', 'express-openid-connect'],
  ],
}

const contest = await openContest('kit')
for (const store of ['memory', 'Redis'] as const) {
  const entries = KITS[store].map((name) => ({ name, floor: FLOOR, isOpen: name === 'express' }))
  await contest.run(store, entries, ['logged in', 'anonymous'])
}
await contest.close()
