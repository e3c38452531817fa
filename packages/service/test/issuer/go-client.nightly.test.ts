import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { installOnDebian } from '../../../../test/support/debian.ts'
import { limit } from '../../../../test/support/limits.ts'
import { startIssuer } from './support/issuer.ts'
import { beginWithProgram } from './support/program-client.ts'
import { ada } from './support/token-endpoint.ts'

const sources = '/usr/share/gocode'
const folder = mkdtempSync(join(tmpdir(), 'latchkey-go-'))
const program = join(folder, 'client')

beforeAll(() => {
  for (const [path, name] of [
    ['/usr/bin/go', 'golang-go'],
    [`${sources}/src/github.com/coreos/go-oidc`, 'golang-github-coreos-go-oidc-dev'],
    [`${sources}/src/golang.org/x/oauth2`, 'golang-golang-x-oauth2-dev'],
  ] as const) {
    if (!existsSync(path))
      installOnDebian([name], `Install ${name}: a client in Go is built with it.`)
  }
  const source = join(import.meta.dirname, 'support/go_oidc_client.go')
  execFileSync('/usr/bin/go', ['build', '-o', program, source], {
    env: { GO111MODULE: 'off', GOPATH: sources, GOCACHE: join(folder, 'cache') },
  })
}, limit(300))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('go-oidc logs a user in with PKCE and a nonce, and verifies the ID token', async () => {
  await using issuer = await startIssuer()
  const { id } = await issuer.addUser(ada)
  const app = await beginWithProgram(issuer, [program], {})

  const form = await app.browser.get(app.authorizationUrl)
  const callback = await app.browser.submit(form, ada)
  expect(await app.complete(callback.location)).toMatchObject({ sub: id, email: ada.email })
})
