import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createIdentityService } from '@latchkey/service'
import { serveCommands } from '../parts/child.ts'

/** A service on SQLite with a tenant whose users log in, and another one that imports. */

const data = mkdtempSync(join(tmpdir(), 'latchkey-bench-'))
const service = await createIdentityService({
  data,
  allowHttpOnLoopback: true,
  trustedProxies: ['127.0.0.1'],
  requestsPerSecond: 10_000,
})
const { port } = await service.listen()
const host = `acme.localhost:${port}`
const password = 'correct horse battery'
const users = Array.from({ length: 16 }, (_, n) => ({
  profile: { email: `user${n}@example.com`, email_verified: true },
  password: { alg: 'plain', hash: password },
}))
const redirectUri = 'http://localhost:3000/callback'
await service.admin.seed({
  tenants: [
    { settings: { domain: host }, applications: [{ redirect_urls: [redirectUri] }], users },
  ],
})
const site = await service.admin.findTenant(host)
const importer = await service.admin.createTenant({ domain: 'importer.example.com' })
const { secret: siteKey } = await service.admin.createApiKey({ name: 'site', reach: 'all' })
const { secret: key } = await service.admin.createApiKey({ name: 'import', reach: [importer.id] })
const listed = await service.fetch(`http://${host}/v1/tenants/${site?.id}/applications`, {
  headers: { authorization: `Bearer ${siteKey}` },
})
const [application] = ((await listed.json()) as { data: { id: string }[] }).data
const facts = {
  host,
  key,
  password,
  redirectUri,
  emails: users.map(({ profile }) => profile.email),
  clientId: application?.id ?? '',
  tenantId: importer.id,
}

serveCommands(port, { facts: () => facts }, async () => {
  await service.close()
  rmSync(data, { recursive: true })
})
