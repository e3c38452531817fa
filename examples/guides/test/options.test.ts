import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, test, vi } from 'vitest'
import { membersOf } from '../../../scripts/router-options.ts'
import { examples, routerOf } from '../src/options.ts'

// No Redis has to listen there: the examples are not served.
vi.hoisted(() => {
  process.env.REDIS_URL = 'redis://127.0.0.1:6390'
})

const core = path.resolve(import.meta.dirname, '../../../packages/core/src/options/options.ts')
const members = membersOf(readFileSync(core, 'utf8'))

beforeAll(() => {
  Object.assign(process.env, {
    LATCHKEY_ISSUER: 'https://login.example.com',
    LATCHKEY_CLIENT_ID: 'shop',
    LATCHKEY_CLIENT_SECRET: 'secret',
    LATCHKEY_BASE_URL: 'https://shop.example.com',
    LATCHKEY_SESSION_SECRET: 'a secret of the guides with 32 characters',
  })
})

test('every option of the router has an example, and every example an option', () => {
  expect(Object.keys(examples)).toEqual(members.map(({ name }) => name))
})

test('every option of the router says what it does', () => {
  expect(members.filter(({ text }) => text.length < 10)).toEqual([])
})

test.for(Object.keys(examples))('the example of the option %s is accepted', (name) => {
  expect(routerOf(name)).toBeTypeOf('function')
})
