import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { ConfigError, createAuth } from '@latchkey/core'
import { describe, expect, test } from 'vitest'
import { FORMER_NAMES } from '../../../packages/core/src/options/former-names.ts'
import { OPTION_RULES } from '../../../packages/core/src/options/option-rules.ts'
import type { Rule } from '../../../packages/core/src/shared/check-options.ts'

const root = path.resolve(import.meta.dirname, '../../..')
const read = (file: string): string => readFileSync(file, 'utf8')
const require = createRequire(import.meta.url)

/** Our options, those of groups with a dot. */
const ours = new Set(namesOf(OPTION_RULES))

function namesOf(rules: Readonly<Record<string, Rule>>, prefix = ''): string[] {
  return Object.entries(rules).flatMap(([name, { members = {} }]) => [
    prefix + name,
    ...namesOf(members, `${prefix}${name}.`),
  ])
}

/** The names of the members of an interface, as its declaration is written. */
function membersOf(source: string, start: RegExp, indent: number): string[] {
  const from = source.slice(source.search(start))
  const body = from.slice(0, from.search(new RegExp(`^ {0,${indent - 1}}\\};?$`, 'm')))
  const pattern = new RegExp(`^ {${indent}}(\\w+)\\??:`, 'gm')
  return [...body.matchAll(pattern)].map(([, name = '']) => name)
}

const eoc = read(path.join(path.dirname(require.resolve('express-openid-connect')), 'index.d.ts'))
const passport = read(
  path.join(path.dirname(require.resolve('passport-openidconnect')), 'strategy.js'),
)
const authJs = read(
  createRequire(require.resolve('@auth/express')).resolve('@auth/core').replace(/js$/, 'd.ts'),
)
const prefixed = (prefix: string, names: string[]): string[] =>
  names.map((name) => `${prefix}.${name}`)

/** Every option of the published packages, with a dot for those of a group. */
const published: Readonly<Record<string, readonly string[]>> = {
  'express-openid-connect': [
    ...membersOf(eoc, /^interface ConfigParams/m, 2),
    ...prefixed('session', membersOf(eoc, /^interface SessionConfigParams/m, 2)),
    ...prefixed('session.cookie', membersOf(eoc, /^interface CookieConfigParams/m, 2)),
    ...prefixed('routes', membersOf(eoc, /^ {2}routes\?: \{/m, 4)),
  ],
  'passport-openidconnect': [
    ...new Set([...passport.matchAll(/\boptions\.(\w+)/g)].map(([, name = '']) => name)),
  ],
  'Auth.js': [
    ...membersOf(authJs, /^export interface AuthConfig/m, 4),
    ...prefixed('session', membersOf(authJs, /^ {4}session\?: \{/m, 8)),
  ],
}

/** Options of a part of the configuration, which some write beside it: of a back-channel logout, and of a provider. */
const inParts = new Set(['onLogoutToken', 'wellKnown'])

/** The words of the start about an option that is set. */
function saidOf(option: string): string {
  const options: Record<string, unknown> = {
    issuer: 'https://login.example.com',
    clientId: 'app',
    clientSecret: 'secret',
    baseUrl: 'https://app.example.com',
    logger: false,
    session: { secret: 'x'.repeat(32) },
  }
  const groups = option.split('.')
  const name = groups.pop() ?? ''
  let group = options
  for (const key of groups) {
    group[key] ??= {}
    group = group[key] as Record<string, unknown>
  }
  if (!(name in group)) group[name] = true
  try {
    createAuth(options)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return ''
}

describe.each(Object.entries(published))('%s', (library, names) => {
  test('has the options that were read from its package', () => {
    expect(names.length).toBeGreaterThan(20)
  })

  test.for(names)('the start says what its option "%s" is here', (name) => {
    const said = saidOf(name)
    if (said.includes(`"${name}" is not an option.`)) {
      expect(said).toMatch(/is not an option\. (?!Did you mean|There are)\S/)
    } else expect(ours).toContain(name)
  })

  test('has every option that the reference lists for it', () => {
    const listed = Object.keys(FORMER_NAMES[library] ?? {})
    const stale = listed.filter((name) => !names.includes(name) && !inParts.has(name))
    expect(stale).toEqual([])
  })
})

test('every equivalent is an option, or a sentence whose options there are', () => {
  const equivalents = Object.values(FORMER_NAMES).flatMap((names) => Object.values(names))
  const named = equivalents.flatMap((one) =>
    one.includes(' ') ? [...one.matchAll(/"([a-z][\w.]*)/gi)].map(([, name]) => name) : [one],
  )
  // Values, and members of a group that the sentence has named.
  const others = new Set(['never', 'login', 'afterCallback', 'onSession'])
  expect(named.filter((name = '') => !ours.has(name) && !others.has(name))).toEqual([])
})

/** Guides whose table of options has former names in its first column, and ours in its second. */
const guides = [
  ['from-express-openid-connect', 'express-openid-connect'],
  ['from-passport-openidconnect', 'passport-openidconnect'],
  ['from-auth-js', 'Auth.js'],
] as const

test.for(guides)('the options in the table of %s are those of %s', ([guide, library]) => {
  const text = read(path.join(root, `docs/guides/${guide}.md`))
  const table = /^## Options[^\n]*\n\n((?:\|.*\n)+)/m.exec(text)?.[1] ?? ''
  const rows = table.split('\n').slice(2, -1)
  expect(rows.length).toBeGreaterThan(10)
  const former = rows.flatMap((row) => [
    ...(row.split('|')[1] ?? '').matchAll(/`([a-z]+[A-Z]?\w*)`/g),
  ])
  const known = new Set(published[library]?.flatMap((name) => name.split('.')))
  const others = new Set([
    'issuer',
    'params',
    'scope',
    'path',
    'transient',
    'secure',
    'logout',
    'callback',
    'true',
    'false',
  ])
  expect(
    former.map(([, name = '']) => name).filter((name) => !known.has(name) && !others.has(name)),
  ).toEqual([])
})
