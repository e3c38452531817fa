import { createVault } from '../../src/domain/writes/vault.ts'
import type { EndedSession } from '../../src/issuer/engine/client.ts'
import { clusterKey } from '../support/cluster.ts'
import type { TestDatabase } from '../support/postgres.ts'

/** The logout notices that any process has stored, as its queue forgets those that were sent. */
export interface KeptNotices {
  /** How many notices were stored about the logout of each user, by the id of the user. */
  count(): Promise<Map<string, number>>
}

/**
 * Keeps a copy of each logout notice that is stored from now on. A notice is sent at least once: an answer that comes too
 * late, or a process that ends, lets it arrive again. So a logout was told twice only where it has two notices.
 */
export async function keepNotices({ query }: TestDatabase): Promise<KeptNotices> {
  await query(`create schema kept;
    create table kept.notices (id text not null, sealed text not null);
    create function kept.keep() returns trigger language plpgsql security definer as $$
      begin insert into kept.notices values (new.id, new.sealed); return new; end $$;
    create trigger keep after insert on notices for each row execute function kept.keep()`)
  const vault = createVault(clusterKey)
  return {
    async count() {
      const counts = new Map<string, number>()
      for (const { id, sealed } of await query('select id, sealed from kept.notices')) {
        const { sub } = JSON.parse(vault.open(`notice:${id}`, String(sealed))) as EndedSession
        counts.set(sub, (counts.get(sub) ?? 0) + 1)
      }
      return counts
    },
  }
}
