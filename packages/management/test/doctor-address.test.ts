import { existsSync, readdirSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { pageOf, providerPages } from '../src/doctor/provider-pages.ts'
import { startInstallation } from './support/command.ts'

const WELL_KNOWN = '/.well-known/openid-configuration'
const pages = join(import.meta.dirname, '../../../docs/providers')

/** A provider that answers as it is told, and the command that looks at it. */
async function startProvider(
  answer: (path: string, url: string) => object | string | undefined,
): Promise<{ url: string; asked: string[] } & AsyncDisposable> {
  const asked: string[] = []
  const listener: RequestListener = (req, res) => {
    asked.push(req.url ?? '')
    const found = answer(req.url ?? '', url)
    if (found === undefined) res.writeHead(404).end('nothing')
    else if (typeof found === 'string') res.writeHead(302, { location: found }).end()
    else res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(found))
  }
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A discovery document without oddities. */
function documentOf(issuer: string, more: object = {}): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    id_token_signing_alg_values_supported: ['RS256'],
    response_types_supported: ['code'],
    ...more,
  }
}

async function doctor(address: string) {
  await using installation = await startInstallation()
  return installation.run(['doctor', address])
}

const block = (options: string): string => `createAuthRouter({\n${options}\n})`

test('doctor with the address of our own service prints its issuer, and no fault', async () => {
  await using installation = await startInstallation()
  const issuer = `http://${installation.domain}`

  for (const address of [issuer, `${issuer}/`, `${issuer}${WELL_KNOWN}`, `${issuer}/login`]) {
    const { stdout, code } = await installation.run(['doctor', address])
    expect(stdout).toContain(block(`  issuer: '${issuer}',`))
    expect([address, code, stdout.includes('✗')]).toEqual([address, 0, false])
  }
})

test('doctor finds a document that is elsewhere, and prints both addresses', async () => {
  await using provider = await startProvider((path, url) =>
    path === `/api/auth${WELL_KNOWN}` ? documentOf(url) : undefined,
  )
  const { url } = provider

  const { stdout, code } = await doctor(`${url}/api/auth`)

  const discoveryUrl = `${url}/api/auth${WELL_KNOWN}`
  expect(stdout).toContain(block(`  issuer: '${url}',\n  discoveryUrl: '${discoveryUrl}',`))
  expect(code).toBe(0)
})

test('doctor follows a redirect to a slash, and prefers the document of the issuer that is named', async () => {
  await using provider = await startProvider((path, url) => {
    if (path === `/o${WELL_KNOWN}`) return `${url}/o${WELL_KNOWN}/`
    return path === `/o${WELL_KNOWN}/` || path === `/alias${WELL_KNOWN}`
      ? documentOf(`${url}/o`)
      : undefined
  })

  for (const path of ['/o', '/alias']) {
    const { stdout } = await doctor(provider.url + path)
    expect(stdout).toContain(block(`  issuer: '${provider.url}/o',`))
  }
})

test.each([
  [{ id_token_signing_alg_values_supported: ['HS256'] }, 'HS256, which is refused'],
  [{ response_types_supported: ['id_token'] }, 'Switch the code flow on'],
  [{ token_endpoint_auth_methods_supported: ['tls_client_auth'] }, 'tls_client_auth'],
  [{ require_signed_request_object: true }, 'signed requests'],
])('doctor prints no options for a provider that cannot be used: %o', async (more, said) => {
  await using provider = await startProvider((path, url) =>
    path === WELL_KNOWN ? documentOf(url, more) : undefined,
  )

  const { stdout, code } = await doctor(provider.url)

  expect(stdout).toContain(said)
  expect(stdout).not.toContain('createAuthRouter')
  expect(code).toBe(3)
})

test('doctor decides how the application says who it is, and which tenants it has to name', async () => {
  const answers: Record<string, object> = {
    '/key': { token_endpoint_auth_methods_supported: ['private_key_jwt'] },
    '/open': { token_endpoint_auth_methods_supported: ['none'] },
    '/many': { issuer: 'https://login.example/{tenantid}/v2.0' },
  }
  await using provider = await startProvider((path, url) => {
    const name = path.replace(WELL_KNOWN, '')
    return answers[name] && { ...documentOf(url + name), ...answers[name] }
  })

  expect((await doctor(`${provider.url}/key`)).stdout).toContain("clientAuth: 'private_key_jwt'")
  expect((await doctor(`${provider.url}/open`)).stdout).toContain("clientAuth: 'none'")
  const { stdout } = await doctor(`${provider.url}/many`)
  expect(stdout).toContain(`issuer: '${provider.url}/many'`)
  expect(stdout).toContain("entraTenants: ['<tenant id>']")
})

test('doctor says which addresses it tried where there is no document', async () => {
  await using provider = await startProvider(() => undefined)

  const { stdout, code } = await doctor(`${provider.url}/realm`)

  expect(stdout).toContain(`${provider.url}/realm${WELL_KNOWN} (status 404)`)
  expect(stdout).toContain(`${provider.url}${WELL_KNOWN} (status 404)`)
  expect(stdout).toContain('"metadata"')
  expect(code).toBe(3)
})

test('an issuer that would end the text it is printed in is not printed as code', async () => {
  for (const issuer of ["https://a.example/'+process.exit()+'", 'https://a.example/\u202e', 'x']) {
    await using provider = await startProvider((path) =>
      path === WELL_KNOWN ? { ...documentOf('https://a.example'), issuer } : undefined,
    )
    const { stdout, code } = await doctor(provider.url)
    expect(stdout).not.toContain('createAuthRouter')
    expect(stdout).not.toContain('\u202e')
    expect(code).toBe(3)
  }
})

test('doctor without an address needs the installation, and says which option is missing', async () => {
  await using installation = await startInstallation()
  for (const args of [[], ['--issuer', 'https://a.example']]) {
    const { code, stderr } = await installation.run(['doctor', ...args])
    expect(code).toBe(2)
    expect(stderr).toContain(args.length === 0 ? '--issuer' : '--base-url')
  }
})

test('every page about a provider is one that doctor names, and the other way round', () => {
  const written = readdirSync(pages).filter((file) => !['index.md'].includes(file))
  expect(providerPages.map(({ page }) => `${page}.md`).sort()).toEqual(written.sort())
  for (const { page } of providerPages) expect(existsSync(join(pages, `${page}.md`))).toBe(true)
  expect(pageOf([new URL('https://accounts.google.com')])?.page).toBe('google')
  expect(pageOf([new URL('https://google.com.evil.example')])).toBeUndefined()
})
