import assert from 'node:assert/strict'
import { sendRaw } from '../raw-request.ts'
import { NotTriedError } from '../suite.ts'
import type { LoginCase, LoginSite } from './bench.ts'
import { assertNotKept, assertRefused } from './visitor.ts'

const EVIL = 'https://evil.example'

export const guards: readonly LoginCase[] = [
  [
    'the guarded page is refused to visitors, as a page and to scripts',
    async ({ open }) => {
      const { visitor, paths } = await open()
      assertRefused(await visitor().open(paths.guardedPath), 'a visitor')
      assertRefused(await visitor().call(paths.guardedPath), 'a script of a visitor')
    },
  ],
  [
    'the guarded page is refused to visitors with HEAD, too',
    async ({ open }) => {
      const { visitor, paths } = await open()
      assertRefused(await visitor().send('HEAD', paths.guardedPath), 'HEAD of a visitor')
    },
  ],
  [
    'the guarded page is not shown with other methods or other spellings of its path',
    async ({ open }) => {
      const site = await open()
      const { text: content } = await (await site.user()).open(site.paths.guardedPath)
      const port = Number(new URL(site.served).port)
      const methods = ['OPTIONS', 'TRACE', 'PROPFIND', 'get']
      const requests = [
        ...methods.map((method) => [method, site.paths.guardedPath] as const),
        ...spellingsOf(site).map((target) => ['GET', target] as const),
      ]
      for (const [method, target] of requests) {
        const { status, text } = await sendRaw(port, method, target)
        const isShown = status >= 200 && status < 300 && content !== '' && text.includes(content)
        assert.equal(isShown, false, `${method} ${target} shows what is guarded`)
      }
    },
  ],
  [
    'no cache keeps the guarded page',
    async ({ open }) => {
      const { user, visitor, paths } = await open()
      assertNotKept(await (await user()).open(paths.guardedPath), 'the guarded page')
      assertNotKept(await visitor().open(paths.guardedPath), 'its refusal')
    },
  ],
  [
    'a write of another site is not made in the name of the user',
    async ({ open }) => {
      const { user, paths, baseUrl } = await open()
      const ada = await user()
      const form = { 'content-type': 'application/x-www-form-urlencoded' }
      const own = { 'sec-fetch-site': 'same-origin', origin: baseUrl }
      const { status: ofOwn } = await ada.send(
        'POST',
        paths.guardedPath,
        { ...form, ...own },
        'a=b',
      )
      if (ofOwn === 404 || ofOwn === 405) {
        throw new NotTriedError(
          `POST ${paths.guardedPath} of this very site is answered ${ofOwn}, too`,
        )
      }
      for (const headers of [
        { 'sec-fetch-site': 'cross-site', origin: EVIL },
        { 'sec-fetch-site': 'same-site', origin: 'http://other.localhost:3000' },
        { origin: EVIL },
        { origin: 'null' },
      ]) {
        const { status } = await ada.send('POST', paths.guardedPath, { ...form, ...headers }, 'a=b')
        assert.ok(status >= 300, `POST with ${JSON.stringify(headers)} is answered ${status}`)
      }
    },
  ],
  [
    'a page of another site cannot read the guarded page',
    async ({ open }) => {
      const { user, paths } = await open()
      const { headers } = await (await user()).open(paths.guardedPath, { origin: EVIL })
      const allowed = headers.get('access-control-allow-origin')
      assert.ok(allowed !== EVIL && allowed !== '*', `it is allowed to ${allowed}`)
    },
  ],
  [
    'a hostile Host header, forwarded or not, changes no address of a login',
    async ({ open, provider }) => {
      const { visitor, paths, baseUrl } = await open()
      for (const headers of [
        { host: 'evil.example' },
        { 'x-forwarded-host': 'evil.example' },
        { forwarded: 'host=evil.example' },
        { 'x-original-url': '/', 'x-rewrite-url': '/' },
      ] as const) {
        for (const path of [paths.loginPath, paths.guardedPath]) {
          const { status, location, text } = await visitor().open(path, headers as never)
          assert.doesNotMatch(`${location} ${text}`, /evil\.example/)
          assert.ok(status >= 300, `${path} is answered ${status}`)
          if (location?.origin !== provider.issuer) continue
          const back = location.searchParams.get('redirect_uri') ?? baseUrl
          assert.equal(new URL(back).origin, baseUrl)
        }
      }
    },
  ],
]

/** Spellings of the guarded path that a guard by path and a router may read differently. */
function spellingsOf({ paths, baseUrl }: LoginSite): string[] {
  const path = paths.guardedPath
  const name = path.slice(1)
  const first = `%${name.charCodeAt(0).toString(16).padStart(2, '0')}`
  return [
    ...[`/${path}`, `//${path}`, `${path}/`, `${path}//`, `/${first}${name.slice(1)}`],
    ...[`/%2F${name}`, `${path}%2F`, `${path};x=1`, `/\\${name}`, path.toUpperCase(), `/.${path}`],
    ...[`/x/..${path}`, `${paths.loginPath}/..${path}`, `/x%2F..%2F${name}`, `${path}%00`],
    ...[`${path}?${paths.loginPath}`, `${path}#x`, baseUrl + path, `http://evil.example${path}`],
  ]
}
