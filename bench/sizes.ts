import { startField } from '../packages/service/test/cluster/field.ts'
import { measureSizes } from '../packages/service/test/cluster/sizes-drill.ts'

/**
 * The space that users, credentials and the audit log take in PostgreSQL, indexes included, and a login in Redis. USERS are
 * imported with a password each; LOGINS of them log in and redeem their code.
 */
const users = Number(process.env.USERS ?? 20_000)
const logins = Number(process.env.LOGINS ?? 1_000)

await using field = await startField()
const { sizes, entriesOfLogin } = await measureSizes(field, { users, logins })
for (const [what, bytes] of Object.entries(sizes)) console.log(`${what}: ${bytes} bytes`)
console.log(`a login: ${entriesOfLogin.toFixed(1)} audit entries`)
