import { EventEmitter } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import {
  createApplication,
  deleteApplication,
  openSecret,
  rotateApplicationSecret,
} from '../../src/domain/applications/applications.ts'
import { createTenant, defaultSettings, updateTenant } from '../../src/domain/tenants/tenants.ts'
import { noLeakedPasswords } from '../../src/domain/users/leaked-passwords.ts'
import { createPasswordEngine } from '../../src/domain/users/password-engine.ts'
import type { DomainContext } from '../../src/domain/writes/context.ts'
import { createVault } from '../../src/domain/writes/vault.ts'
import { createDirectory } from '../../src/issuer/provider/directory.ts'
import type { DataStore } from '../../src/store/ports.ts'
import { openSqliteDataStore } from '../../src/store/sqlite/data-store.ts'

const actor = { name: 'admin' }
const host = 'acme.example.com'

/** What one process works with on a folder that several processes share. */
function aDomain(store: DataStore): DomainContext {
  return {
    store,
    clock: systemClock,
    passwords: createPasswordEngine(),
    leaks: noLeakedPasswords,
    vault: createVault(new Uint8Array(32).fill(7)),
    domains: { allowLoopback: true, apiHosts: [], verification: 'none' },
    allowDeveloperMode: false,
    events: new EventEmitter(),
  }
}

describe.each(['this process', 'another process'])('what %s writes', (who) => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'latchkey-directory-'))
    return () => rmSync(folder, { recursive: true })
  })

  async function begin() {
    const domain = aDomain(await openSqliteDataStore(folder))
    const writer = who === 'this process' ? domain : aDomain(await openSqliteDataStore(folder))
    onTestFinished(async () => {
      await domain.store.close()
      if (writer !== domain) await writer.store.close()
    })
    const known = await domain.store.tenants.findByDomain(host)
    const input = { name: 'Acme', metadata: {}, settings: { ...defaultSettings, domain: host } }
    const tenant = known ?? (await createTenant({ context: domain, actor }, input))
    const directory = createDirectory(domain, { allowHttpOnLoopback: false })
    const scope = { context: writer, actor, tenantId: tenant.id }
    return { directory, writer, tenant, scope }
  }

  test('a setting of a tenant counts at the next request', async () => {
    const { directory, tenant, scope } = await begin()
    expect((await directory.siteAt(host))?.tenant.settings.allowSignups).toBe(true)
    const settings = { ...tenant.settings, allowSignups: false }
    await updateTenant(scope, { ...tenant, settings })
    expect((await directory.siteAt(host))?.tenant.settings.allowSignups).toBe(false)
  })

  test('a new secret of an application counts, and the old one stops, at the next request', async () => {
    const { directory, writer, tenant, scope } = await begin()
    const links = { loginUrl: '', logoutUrls: [], redirectUrls: [] }
    const input = { name: 'Shop', metadata: {}, ...links }
    const application = await createApplication(scope, input)
    const before = await directory.client(tenant.id, application.id)
    expect(before?.client_secret).toBe(openSecret(writer, application))
    expect(await directory.client(tenant.id, application.id)).toBe(before)

    const rotated = await rotateApplicationSecret(scope, application.id)
    const after = await directory.client(tenant.id, application.id)
    expect(after?.client_secret).toBe(openSecret(writer, rotated))
    expect(after?.client_secret).not.toBe(before?.client_secret)

    await deleteApplication(scope, application.id)
    expect(await directory.client(tenant.id, application.id)).toBeUndefined()
  })

  test('a tenant that was not there is found once it is', async () => {
    const { directory, writer } = await begin()
    const domain = 'later.example.com'
    expect(await directory.siteAt(domain)).toBeUndefined()
    const settings = { ...defaultSettings, domain }
    await createTenant({ context: writer, actor }, { name: '', metadata: {}, settings })
    expect((await directory.siteAt(domain))?.issuer).toBe(`https://${domain}`)
  })
})

test('a record that was read while it was changed is not cached', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-directory-'))
  const store = await openSqliteDataStore(folder)
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })
  // A read that a write overtakes; SQLite's own reads are too quick for that, another store's are not.
  let hold = Promise.resolve()
  const slow: DataStore = {
    ...store,
    tenants: {
      ...store.tenants,
      async findByDomain(domain) {
        const found = await store.tenants.findByDomain(domain)
        await hold
        return found
      },
    },
  }
  const domain = aDomain(slow)
  const settings = { ...defaultSettings, domain: host }
  const tenant = await createTenant(
    { context: domain, actor },
    { name: 'Acme', metadata: {}, settings },
  )
  const directory = createDirectory(domain, { allowHttpOnLoopback: false })

  const gate = Promise.withResolvers<void>()
  hold = gate.promise
  const early = directory.siteAt(host)
  await updateTenant(
    { context: domain, actor, tenantId: tenant.id },
    { ...tenant, name: 'Acme Ltd' },
  )
  gate.resolve()
  expect((await early)?.tenant.name).toBe('Acme')
  expect((await directory.siteAt(host))?.tenant.name).toBe('Acme Ltd')
})
