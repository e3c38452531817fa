import { expect, test } from 'vitest'
import { noSettings } from '../packages/management/src/tenant-settings.ts'
import { tenantSettings } from '../packages/service/src/resources/tenant-settings.ts'

/** The client shares no code with the service, so its settings are a list of their own. */
test('the client of the management API knows every setting of a tenant, with its zero value', () => {
  const zeros = { host: '', text: '', flag: false, seconds: 0 }
  expect(noSettings).toEqual(
    Object.fromEntries(tenantSettings.map(({ name, kind }) => [name, zeros[kind]])),
  )
})
