import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { consoleRoutes } from '../../src/console/routes/index.ts'
import { de } from '../../src/console/texts/de.ts'
import { translatorOf } from '../../src/console/texts/index.ts'
import type { Obstacle } from '../../src/domain/factors/login-obstacles.ts'
import { sentenceOf } from '../../src/domain/factors/obstacle-sentences.ts'
import { reasons } from '../../src/domain/writes/reasons/index.ts'
import { fillConsole } from './gallery-data.ts'
import { startConsole } from './support.ts'

const source = fileURLToPath(new URL('../../src/', import.meta.url))
const templates = globSync('console/templates/*.eta', { cwd: source })
const { t } = translatorOf('de')

const placesIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort()

test('every sentence of the console has its values in English and in German', () => {
  for (const [english, german] of Object.entries(de)) {
    expect(`${english} ${placesIn(german)}`).toBe(`${english} ${placesIn(english)}`)
    expect(german.trim(), english).not.toBe('')
  }
})

test.each(Object.entries(reasons))('the reason %s has its values in every language', (_, texts) => {
  expect(placesIn(texts.de)).toEqual(placesIn(texts.en))
  expect(texts.de.trim()).not.toBe('')
})

test.each(templates)('the template %s says each sentence by the catalogue', (file) => {
  const text = readFileSync(source + file, 'utf8')
  const said = [...text.matchAll(/\bit\.[th]\(((?:[^()]|\([^()]*\))*)\)/g)].flatMap(
    ([, call = '']) => {
      const first = call.replace(/,\s*\{.*$/s, '').replace(/=== '[^']*'/g, '')
      return [...first.matchAll(/'([^']+)'/g)].map(([, sentence = '']) => sentence)
    },
  )
  expect(said.filter((sentence) => !Object.hasOwn(de, sentence))).toEqual([])

  const bare = text
    .replace(/<%[\s\S]*?%>/g, '')
    .replace(/<!doctype html>|<(code|title)\b[^>]*>.*?<\/\1>/g, '')
    .replace(/\s(aria-label|placeholder|title)="(?!https?:|ten_|login\.)([^"]*)"/g, '>$2<')
    .replace(/>L<\/span>(Latchkey)?/g, '>')
    .replace(/<[^>]*>/g, '')
  expect(bare.match(/\p{L}{2,}/gu) ?? []).toEqual([])
})

/** Sentences that are the same in both languages, or that are also names of the API. */
const isDifferent = ([english, german]: [string, string]) =>
  english !== german && english.length > 3

/** The texts and labels that an operator reads on a page, without names and ids. */
function readableIn(html: string): string[] {
  const page = html
    .replace(/<style>.*?<\/style>/gs, '')
    .replace(/<(bdi|code|pre|time|textarea)\b.*?<\/\1>/gs, '')
    .replace(/<(\w+) class="id[ "].*?<\/\1>/gs, '')
  const labels = [...page.matchAll(/(?:aria-label|placeholder|data-label)="([^"]*)"/g)]
  return [...labels.map(([, label = '']) => label), ...page.split(/<[^>]*>/)]
    .map((text) => text.replaceAll('&quot;', '"').trim())
    .filter((text) => text !== '')
}

test('no page of the console has an English sentence for an operator who reads German', async () => {
  await using running = await startConsole()
  const ids = await fillConsole(running.service)
  const owner = await running.logIn({ role: 'owner' })
  owner.headers['accept-language'] = 'de-AT,de;q=0.9'
  const english = new Set(
    Object.entries(de)
      .filter(isDifferent)
      .map(([sentence]) => sentence),
  )
  const paths = consoleRoutes
    .filter(({ method, path }) => method === 'GET' && !path.endsWith('/export'))
    .flatMap(({ path }) => [path, path.replace(':tenant', ':empty')])
  const found: string[] = []
  for (const path of new Set([...paths, '/console/nothing', '/console/invitation'])) {
    const at = path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? '')
    const { html, headers } = await owner.get(at)
    expect(html, path).toContain('<html lang="de">')
    expect(headers.get('content-language')).toBe('de')
    found.push(
      ...readableIn(html)
        .filter((text) => english.has(text))
        .map((text) => `${path}: ${text}`),
    )
  }
  expect(found).toEqual([])
})

const obstacles: Record<Obstacle['reason'], true> = {
  contested: true,
  disabled: true,
  no_way_in: true,
  way_disabled: true,
  way_not_allowed: true,
  connection_off: true,
  unverified: true,
  address_held: true,
  mail_refused: true,
  needs_link: true,
  password_wait: true,
  device_wait: true,
  client_wait: true,
  factor_paused: true,
  factor_wait: true,
  mail_wait: true,
  mail_client_wait: true,
}

test('every obstacle of a login is told in German, with its wait, its network and the answer of the mail server', () => {
  for (const reason of Object.keys(obstacles) as Obstacle['reason'][]) {
    for (const facts of [{}, { network: '192.0.2.0/24', answer: '550 5.1.1 unknown' }]) {
      for (const isPartial of [true, false]) {
        for (const seconds of [1, 30, 600, 90_000]) {
          const obstacle = {
            reason,
            help: [],
            isPartial,
            until: seconds * 1e6,
            ...facts,
          } as Obstacle
          const german = t(sentenceOf(obstacle, 0))
          expect(german).not.toMatch(/\b(user|another|log in|code by|the|wait|from)\b/i)
        }
      }
    }
  }
})

/** Refusals that only callers of the API get, and those whose words are put together. */
const others =
  /^"((?:legacy_)?password|after|limit|wait|profile|verified_at)|API key|"password|Authorization|stored password|password credential|bcrypt|GET the|JSON|member of "profile"|is not an option of the recipe|is not a recipe|The password |Create the user|^"settings.domain" "a"$|^Key "a"|invited as "a", for "a"/

/** The sentences of refusals in a source, with a word in each of their places. */
function refusalsIn(text: string): string[] {
  const calls = /(?:new ServiceError\(\s*'\w+',\s*|\brefused?\(\s*)(['`])((?:\\.|(?!\1).)*)\1/gs
  return [...text.matchAll(calls)].map(([, , sentence = '']) =>
    sentence.replace(/\$\{(?:[^{}]|\{[^}]*\})*\}/g, '"a"'),
  )
}

test.each([
  'domain/applications/*.ts',
  'domain/connections/*.ts',
  'domain/keys/*.ts',
  'domain/operators/*.ts',
  'domain/tenants/*.ts',
  'domain/users/*.ts',
  'domain/writes/*.ts',
  'issuer/support/*.ts',
  'webhooks/*.ts',
  'console/**/*.ts',
])('a refusal of %s whose words stand in its place is for callers of the API only', (place) => {
  const refusals = globSync(place, { cwd: source }).flatMap((file) =>
    refusalsIn(readFileSync(source + file, 'utf8')),
  )
  expect(refusals.filter((text) => !others.test(text))).toEqual([])
})
