import type { SealingKeyStore } from '../../ports.ts'
import { sql } from '../../sql/sql.ts'
import type { Connections } from '../connections.ts'

/**
 * Creates the {@link SealingKeyStore} of a PostgreSQL database: the ids of the master keys under
 * which secrets of the database are sealed.
 */
export function createSealingKeys(connections: Connections): SealingKeyStore {
  return {
    async list() {
      const { rows } = await connections.read(
        sql<{ id: string }>`select id from sealing_keys order by id`,
      )
      return rows.map(({ id }) => id)
    },
    async add(id) {
      await connections.write(
        sql`insert into sealing_keys (id) values (${id}) on conflict do nothing`,
      )
    },
    async keepOnly(id) {
      await connections.write(sql`delete from sealing_keys where id <> ${id}`)
    },
  }
}
