import type { MailDayStore } from '../../ports.ts'
import type { Engine } from '../engine.ts'
import type { Row } from '../schema.ts'
import { type Sql, sql } from '../sql.ts'

/** The parts of the mail counts that differ between the databases. */
interface MailDayEngine extends Pick<Engine, 'reader'> {
  /** Runs one statement that writes. */
  run(statement: Sql): Promise<unknown>
}

/** Creates the {@link MailDayStore} of an SQL database. */
export function createMailDays({ reader, run }: MailDayEngine): MailDayStore {
  return {
    async add(tenantId, day, outcome) {
      const [sent, givenUp] = outcome === 'sent' ? [1, 0] : [0, 1]
      // The statement selects from the tenant's row, so that a mail of an erased tenant causes no
      // error.
      await run(sql`insert into mail_days (tenant_id, day, sent, given_up)
        select id, ${day}, ${sent}, ${givenUp} from tenants where id = ${tenantId}
        on conflict (tenant_id, day) do update set sent = mail_days.sent + excluded.sent,
          given_up = mail_days.given_up + excluded.given_up`)
    },
    async list(tenantId, from) {
      const rows = await reader.all(sql<Omit<Row<'mail_days'>, 'tenant_id'>>`
        select day, sent, given_up from mail_days
        where tenant_id = ${tenantId} and day >= ${from} order by day`)
      return rows.map(({ day, sent, given_up }) => ({ day, sent, givenUp: given_up }))
    },
    async prune(before) {
      const isOld = sql`day < ${before}`
      const old = await reader.first(sql`select 1 from mail_days where ${isOld} limit 1`)
      if (old) await run(sql`delete from mail_days where ${isOld}`)
    },
  }
}
