import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { DatabaseSync } from 'node:sqlite'
import express from 'express'
import { serveCommands } from '../parts/child.ts'
import { INSERT_USER, userRow } from '../parts/folder.ts'

/**
 * The least that an Express application on the same table can do: `bare.ts FOLDER TENANT`. It knows
 * no keys, checks nothing, counts nothing and keeps no audit log.
 */

const [, , folder = '', tenantId = ''] = process.argv
const database = new DatabaseSync(join(folder, 'data.db'))
database.exec('pragma journal_mode = wal; pragma synchronous = full')
const select = database.prepare('select * from users where tenant_id = ? and id = ?')
const insert = database.prepare(INSERT_USER)

const app = express().disable('x-powered-by').disable('etag')
app.get('/users/:id', (req, res) => {
  const user = select.get(tenantId, req.params.id) as Record<string, string>
  const { profile = '', metadata = '' } = user
  res.json({ ...user, profile: JSON.parse(profile), metadata: JSON.parse(metadata) })
})
app.post('/users', express.json(), (req, res) => {
  const id = `usr_${randomUUID()}`
  insert.run(...userRow(tenantId, id, req.body.profile.email))
  res.json({ id, ...req.body })
})
const server = app.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  serveCommands(
    port,
    {
      /** One INSERT per COMMIT; answers with the seconds it took. */
      insert(count: number) {
        const begin = performance.now()
        for (let i = 0; i < count; i++) {
          const id = `usr_${randomUUID()}`
          insert.run(...userRow(tenantId, id, `${id}@example.com`))
        }
        return (performance.now() - begin) / 1_000
      },
    },
    async () => database.close(),
  )
})
