import { createAuditTriggers } from './audit-details.ts'
import {
  addColumn,
  createNewTables,
  createTable,
  DELETE_LATER_KEYS,
  FILL_LAST_LOGINS,
  indexesOf,
  LATER_INDEXES,
} from './create-tables.ts'
import type { Queries } from './engine.ts'
import type { EngineName } from './sql.ts'
import { createLegacyTriggers } from './tables/legacy-passwords.ts'
import { fillNever, NEVER_KEY } from './tables/never-logged-in.ts'

/** A change of the tables in a database, such as a new table. */
export interface Change {
  readonly name: string
  /** Statements to run in one transaction. */
  readonly statements?: readonly string[]
  /**
   * Whether the statements take long. On PostgreSQL, their transaction then begins with this
   * change, so that it does not hold the locks of earlier changes.
   */
  readonly isLong?: boolean
  /** Indexes to create if they are missing. PostgreSQL creates them while other processes write. */
  readonly indexes?: { readonly [name: string]: string }
  /**
   * A statement that is run before the indexes are created; on PostgreSQL, before each attempt to
   * create a unique index.
   */
  readonly beforeIndexes?: string
  /**
   * A function that changes many rows, some in each transaction. It is called again while it
   * returns `unfinished`.
   */
  readonly step?: (db: Queries) => Promise<'unfinished' | undefined>
}

/** The changes that only one of the databases needs. `tables`: statements. */
interface Own {
  readonly tables: readonly string[]
  readonly indexes: { readonly [name: string]: string }
  readonly step?: NonNullable<Change['step']>
}

/**
 * Every change since release 0.2.0, oldest first.
 *
 * A released change is never edited. If a later change modifies a table of `schema.ts`, the
 * statement of the earlier change is written out here. No change removes anything that the previous
 * release needs, because that release keeps running until it is replaced.
 */
export function changesOf(engine: EngineName, { tables, indexes, step }: Own): readonly Change[] {
  return [
    { name: '0014-tables', statements: [...createNewTables(engine), ...tables] },
    {
      name: '0015-indexes',
      indexes: { ...indexesOf(engine), ...indexes },
      beforeIndexes: DELETE_LATER_KEYS,
    },
    ...(step ? [{ name: '0016-search-texts', step }] : []),
    { name: '0017-last-logins', statements: [FILL_LAST_LOGINS] },
    { name: '0018-standings', statements: [createTable('standings', engine)] },
    {
      name: '0019-audit-details',
      statements: [createTable('audit_details', engine), ...createAuditTriggers(engine)],
    },
    {
      name: '0020-legacy-passwords',
      statements: [createTable('legacy_passwords', engine), ...createLegacyTriggers(engine)],
    },
    {
      name: '0021-recovered-operators',
      statements: [addColumn(engine, 'operators', 'invitation_recovers')],
    },
    { name: '0022-login-ways', statements: [addColumn(engine, 'last_logins', 'way')] },
    { name: '0023-login-ways-index', indexes: LATER_INDEXES },
    { name: '0024-login-ways-by-time', indexes: LATER_INDEXES },
    { name: '0025-tenant-logos', statements: [createTable('tenant_logos', engine)] },
    { name: '0026-mail-days', statements: [createTable('mail_days', engine)] },
    {
      name: '0027-never-logged-in',
      statements: [
        createTable('never_logged_in', engine, engine === 'postgres' ? [NEVER_KEY] : []),
        ...fillNever(engine),
      ],
      isLong: true,
    },
  ]
}

/**
 * The change that moves stored instants into the range that the API accepts. SQLite cannot return
 * one far outside of it as a number, so that no list with that row could be read.
 *
 * A verification before 1970 gets the time at which the user was created. An API key expires at the
 * beginning of 2250 at the latest.
 */
export const INSTANTS_IN_RANGE: Change = {
  name: '0030-instants-in-range',
  statements: [
    'update users set verified_at = created_at where verified_at < 0',
    'update api_keys set expires_at = 8835955200000000 where expires_at > 8835955200000000',
  ],
}

/**
 * The change that adds the column `own_callback`. Connections that exist keep the redirect URI that
 * is registered at their providers; a process of the previous release adds further ones of this
 * kind.
 */
export function addOwnCallbacks(engine: EngineName): Change {
  return {
    name: '0031-own-callbacks',
    statements: [addColumn(engine, 'connections', 'own_callback')],
  }
}

/**
 * The changes that were not applied to a database yet.
 *
 * @param base - The name of the last change of release 0.2.0.
 * @throws if the database is older than release 0.2.0.
 */
export function missingOf(
  changes: readonly Change[],
  applied: ReadonlySet<string>,
  base: string,
): readonly Change[] {
  if (!applied.has(base)) {
    throw new Error(
      'The data is of a version before 0.2.0. Open it with 0.2.0 once, then with this one.',
    )
  }
  return changes.filter(({ name }) => !applied.has(name))
}
