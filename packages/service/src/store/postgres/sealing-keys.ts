import type { SealingKeyStore } from '../ports.ts'
import type { Connections } from './connections.ts'

/** The ids of the master keys under which secrets of this database are sealed. */
export function createSealingKeys(connections: Connections): SealingKeyStore {
  return {
    async list() {
      const statement = { sql: 'select id from sealing_keys order by id', parameters: [] }
      const rows: { id: string }[] = (await connections.read(statement, true)).rows
      return rows.map(({ id }) => id)
    },
    async add(id) {
      const sql = 'insert into sealing_keys (id) values ($1) on conflict do nothing'
      await connections.write({ sql, parameters: [id] })
    },
    async keepOnly(id) {
      const sql = 'delete from sealing_keys where id <> $1'
      await connections.write({ sql, parameters: [id] })
    },
  }
}
