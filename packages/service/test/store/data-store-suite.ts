import { describe, onTestFinished } from 'vitest'
import type { DataStore } from '../../src/store/ports.ts'
import { describeApiKeys } from './suite/api-keys.ts'
import { describeApplications } from './suite/applications.ts'
import { describeAtomicity } from './suite/atomicity.ts'
import { describeAudit } from './suite/audit.ts'
import { describeAuditDetails } from './suite/audit-details.ts'
import { describeConnections } from './suite/connections.ts'
import { describeCredentials } from './suite/credentials.ts'
import { describeDeletions } from './suite/deletions.ts'
import { describeDeliveries } from './suite/deliveries.ts'
import { describeJobs } from './suite/jobs.ts'
import { describeLegacyPasswords } from './suite/legacy-passwords.ts'
import { describeLists } from './suite/lists.ts'
import { describeMailDays } from './suite/mail-days.ts'
import { describeOperators } from './suite/operators.ts'
import { describeSigningKeys } from './suite/signing-keys.ts'
import { describeTenants } from './suite/tenants.ts'
import { describeUserSearch } from './suite/user-search.ts'
import { describeUsers } from './suite/users.ts'

/** Opens an empty store. */
export type Open = () => Promise<DataStore>

/**
 * What every implementation of the DataStore port promises.
 *
 * @param open - Called once per test; the suite closes what it opened.
 */
export function describeDataStore(name: string, open: Open): void {
  async function opened(): Promise<DataStore> {
    const store = await open()
    onTestFinished(() => store.close())
    return store
  }

  describe(`a data store (${name})`, () => {
    describeTenants(opened)
    describeDeletions(opened)
    describeApplications(opened)
    describeUsers(opened)
    describeUserSearch(opened)
    describeJobs(opened)
    describeMailDays(opened)
    describeCredentials(opened)
    describeLegacyPasswords(opened)
    describeApiKeys(opened)
    describeSigningKeys(opened)
    describeConnections(opened)
    describeDeliveries(opened)
    describeOperators(opened)
    describeAudit(opened)
    describeAuditDetails(opened)
    describeLists(opened)
    describeAtomicity(opened, open)
  })
}
