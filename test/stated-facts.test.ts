import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { CODES } from '../packages/core/src/errors/codes.ts'
import { recorderPath } from '../packages/core/src/http/development.ts'
import { OPTION_RULES } from '../packages/core/src/options/option-rules.ts'
import { resolveOptions } from '../packages/core/src/options/resolve-options.ts'
import type { Rule } from '../packages/core/src/shared/check-options.ts'
import { statusOfCode } from '../packages/service/src/domain/writes/errors.ts'
import { root } from '../scripts/packages.ts'
import { membersOf } from '../scripts/router-options.ts'

const read = (file: string): string => readFileSync(path.join(root, file), 'utf8')
const glob = (patterns: string[], ...except: string[]): string[] =>
  globSync(patterns, { cwd: root, exclude: ['**/node_modules/**', ...except] })

/** What readers of the kit and the service have, without the names of other libraries. */
const pages = glob(
  ['README.md', 'docs/*.md', 'docs/guides/*.md', 'docs/providers/*.md', 'packages/*/README.md'],
  'docs/guides/from-*.md',
)

/** The prose of a page, a sentence or a cell of a table each. */
function sentencesOf(page: string): string[] {
  const prose = read(page).replaceAll(/^```.*?^```$/gms, '')
  const lines = prose.replaceAll(/\n(?=[^\n#|>\-*\d])/g, ' ').split('\n')
  return lines.flatMap((line) =>
    line.startsWith('|') ? [line] : line.split(/(?<=[.;:])\s+(?=[A-Z`[*])/),
  )
}

describe('an option that a page names with its group', () => {
  /** Members of a session that `onSession`, `beforeLogout` and events have, and events of the service. */
  const others = new Set([
    ...['user', 'user.id', 'idToken', 'tokens', 'tokens.refreshToken', 'expiresIn'],
    ...['revoked', 'adopted', 'created', 'ended', 'refreshed'],
  ])

  const named = pages.flatMap((page) =>
    [
      ...read(page).matchAll(
        /`((?:session|routes|hooks|bearer|returnTo|clientAssertion)\.[a-z][\w.]*)/gi,
      ),
    ].map(([, name = '']) => ({ page, name })),
  )

  test('is an option', () => {
    const options = new Set(namesOf(OPTION_RULES))
    const unknown = named.filter(
      ({ name }) => !options.has(name) && !others.has(name.replace('session.', '')),
    )
    expect(named.length).toBeGreaterThan(50)
    expect(unknown).toEqual([])
  })
})

function namesOf(rules: Readonly<Record<string, Rule>>, prefix = ''): string[] {
  return Object.entries(rules).flatMap(([name, { members = {} }]) => [
    prefix + name,
    ...namesOf(members, `${prefix}${name}.`),
  ])
}

test('the README of core lists every option', () => {
  const [, table = ''] = read('packages/core/README.md').split('\n## Options\n')
  const cells = table.match(/^\| `.*?\|/gm)?.join() ?? ''
  const listed = new Set(cells.match(/(?<=`)\w+/g))
  expect(Object.keys(OPTION_RULES).filter((name) => !listed.has(name))).toEqual([])
})

describe('a default that a docstring or a guide names', () => {
  const options = {
    issuer: 'https://login.example.com',
    clientId: 'app',
    clientSecret: 'secret',
    baseUrl: 'https://app.example.com',
    session: { secret: 'x'.repeat(32) },
  }
  const resolved = resolveOptions(options)
  const { session, routes } = resolved
  const number = (value: number): string => value.toLocaleString('en-US')
  const docstrings = new Map(
    membersOf(read('packages/core/src/options/options.ts')).map(({ name, text }) => [name, text]),
  )

  test.for([
    ['session.idleSeconds', number(session.idleSeconds)],
    ['session.absoluteSeconds', number(session.absoluteSeconds)],
    ['session.cookie', `\`${session.cookie.sameSite}\``],
    ['session.cookie', `\`${session.cookieName.replace('__Host-', '')}\``],
    ['scope', `\`${resolved.scope}\``],
    ['silentLogin', `\`${resolved.silentLogin}\``],
    ['dpop', `\`${resolved.dpop}\``],
    ['keepForms', `\`${resolved.keepForms !== undefined}\``],
    ['allowedLoginParams', resolved.allowedLoginParams.map((one) => `\`${one}\``).join(' and ')],
    ['responseMode', `\`${resolved.responseMode}\``],
    ['userinfo', `\`${resolved.userinfo}\``],
    ['timeoutSeconds', number(resolved.timeoutSeconds)],
    ['requestSeconds', number(resolved.requestSeconds)],
    ['answerSeconds', number(resolved.answerSeconds)],
    ['routes', `\`${routes.login}\``],
    ['routes', `\`${routes.callback}\``],
    ['routes', `\`${routes.logout}\``],
    ['routes', `\`${routes.backchannelLogout}\``],
    ['routes', `\`${routes.session}\``],
  ] as const)('of "%s" is %s', ([name, value]) => {
    expect(docstrings.get(name)?.replaceAll(/\s+/g, ' ')).toContain(`Default ${value}`)
  })

  test('is that of the table of sessions', () => {
    const rows = [...read('docs/guides/sessions.md').matchAll(/^\| `(\w+Seconds)` +\| (\S+) /gm)]
    expect(rows.map(([, name, value]) => [name, value])).toEqual([
      ['idleSeconds', number(session.idleSeconds)],
      ['absoluteSeconds', number(session.absoluteSeconds)],
    ])
  })

  test('is that of the list of routes', () => {
    const rows = read('docs/guides/routes.md').match(/^\| `(GET|POST) \/[\w-]+`/gm) ?? []
    const paths = rows.map((row) => row.replace(/^.* /, '').replace('`', ''))
    const known = [...Object.values(routes), '/logged-out']
    expect(paths.length).toBeGreaterThan(3)
    expect(paths.filter((one) => !known.includes(one))).toEqual([])
  })

  test('is proxied by Vite in the guide, if a browser opens it', () => {
    const guide = read('docs/guides/single-page-applications.md')
    const proxied = [...guide.matchAll(/'(\/[\w-]+)': api/g)].map(([, one]) => one)
    const { login, callback, logout, session, keptForm } = resolveOptions({
      ...options,
      keepForms: true,
    }).routes
    const opened = [login, callback, logout, session, keptForm, recorderPath(resolved.baseUrl)]
    expect(proxied.toSorted()).toEqual(['/api', ...opened].toSorted())
  })
})

test('a sentence that names one error code and one HTTP status has the status of the code', () => {
  const statuses: Readonly<Record<string, number | undefined>> = {
    ...Object.fromEntries(
      Object.entries(CODES).map(([code, is]) => [code, 'status' in is ? is.status : undefined]),
    ),
    ...statusOfCode,
  }
  const stated = pages.flatMap((page) =>
    sentencesOf(page).flatMap((sentence) => {
      const codes = new Set(sentence.match(/\bLATCHKEY_[A-Z_]+\b|(?<=`)[a-z]+(?:_[a-z]+)+(?=`)/g))
      const known = [...codes].filter((code) => statuses[code] !== undefined)
      const numbers = new Set(sentence.match(/\b[45]\d\d\b(?! (?:days|bytes|users|ms|kB|MB))/g))
      const [code = ''] = known
      const [status = ''] = numbers
      if (known.length !== 1 || numbers.size !== 1) return []
      return [{ page, code, status, right: String(statuses[code]), sentence }]
    }),
  )
  expect(stated.filter(({ status, right }) => status !== right)).toEqual([])
  expect(stated.length).toBeGreaterThan(20)
})

describe('a file that a page names', () => {
  const files = glob(
    [
      ...[
        '*.{json,yaml,md,ts}',
        'packages/*/{src,test}/**/*.*',
        'packages/*/README.md',
        'deploy/**/*.*',
      ],
      ...['{bench,docs,examples,scripts,test}/**/*.{ts,tsx,js,md,json,yaml,sh,conf}'],
    ],
    'docs/reference/**',
    'docs/.vitepress/dist/**',
  ).map((file) => `/${file.replace(/^(packages\/[^/]+)\/src\//, '$1/').replace(/^packages\//, '')}`)
  const isThere = (name: string): boolean =>
    files.some((file) => file.endsWith(`/${name.replace(/^packages\//, '').replace('/src/', '/')}`))

  test.for(['ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md'])('%s is there', (page) => {
    const named = [...read(page).matchAll(/`([\w.-]+(?:\/[\w.-]+)*\.(?:ts|md|json|yaml|sh))`/g)]
    expect(named.map(([, name = '']) => name).filter((name) => !isThere(name))).toEqual([])
  })

  test('is there, where it has a folder of this repository', () => {
    const folders = /`((?:packages|bench|deploy|docs|scripts|test)\/[\w./-]+\.\w+)`/g
    const named = pages.flatMap((page) =>
      [...read(page).matchAll(folders)].map(([, name = '']) => ({ page, name })),
    )
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter(({ name }) => !isThere(name))).toEqual([])
  })
})
