import { createIdentityService } from '@latchkey/service'

// A process that serves a folder, and carries on the jobs in it, until it is killed.
const [data, masterKey] = process.argv.slice(2) as [string, string]
await createIdentityService({ data, masterKey })
process.stdout.write('ready\n')
setInterval(() => {}, 60_000)
