import { FAILED_CONDITION, NEVER } from '../protocol-store.ts'
import { createIndex, createTables, indexesOf, LATER_INDEXES } from '../sql/create-tables.ts'
import { addOwnCallbacks, type Change, changesOf, INSTANTS_IN_RANGE } from '../sql/migrations.ts'
import { CHECK_NEVER } from '../sql/tables/never-logged-in.ts'
import { fillSearchTexts } from './tables/trigrams.ts'
import { USER_TEXTS } from './tables/user-texts.ts'

/**
 * The number of shards of a counter. With several shards, inserts into the same list need not wait
 * for each other.
 */
export const COUNTER_SHARDS = 16

/**
 * The names of the changes that release 0.2.0 made. That release makes a change again if its name
 * is not stored.
 */
export const RELEASED: readonly string[] = [
  '0001-foundations',
  '0002-search-keys',
  '0003-fill-search-keys',
  '0004-audit-search',
  '0005-outbox',
  '0006-connections',
  '0007-operators',
  '0008-audit-by-time',
  '0009-deletions',
  '0010-tenant-search',
]

/** The statements that create the tables of release 0.2.0 that exist only in PostgreSQL. */
const OWN_TABLES = [
  `create table counter_shards (
    scope text collate "C" not null,
    shard smallint not null,
    n bigint not null,
    primary key (scope, shard)
  ) with (fillfactor = 50)`,
  `create view counters as
    select scope, sum(n)::bigint as value from counter_shards group by scope`,
  `insert into counter_shards
    select 'tenants', shard, 0 from generate_series(0, ${COUNTER_SHARDS - 1}) as shard`,
  // least_schema: the number of changes that a version of the service must know to use the tables.
  `create table revision (
    id smallint primary key check (id = 1),
    n bigint not null,
    least_schema smallint not null
  )`,
  'insert into revision values (1, 0, 1)',
  ...['mail', 'notices'].map(
    (name) => `create table ${name} (
      id text collate "C" primary key,
      number bigint generated always as identity,
      tenant_id text collate "C" not null,
      created_at bigint not null,
      due_at bigint not null,
      attempts integer not null,
      sealed text not null,
      kind text,
      user_id text collate "C",
      answer text,
      outcome text,
      ended_at bigint
    )`,
  ),
]

/** The statements that create later tables that exist only in PostgreSQL. */
const NEW_TABLES = [
  USER_TEXTS,
  'create table sealing_keys (id text collate "C" primary key)',
  // The tenants that a revision concerns. After a write of release 0.2.0, which stores no tenants,
  // all processes read everything again.
  `create table revision_tenants (
    n bigint not null,
    tenant_id text collate "C" not null,
    primary key (n, tenant_id)
  )`,
]

const OWN_INDEXES = {
  ...Object.fromEntries(
    ['mail', 'notices'].flatMap((name) => [
      [`${name}_by_due`, `${name} (due_at)`],
      [`${name}_by_tenant`, `${name} (tenant_id, number)`],
    ]),
  ),
  mail_by_time: 'mail (tenant_id, created_at, id)',
  mail_by_user: 'mail (tenant_id, user_id, created_at, id) where user_id is not null',
  // The indexes by state are partial, because most messages have been sent.
  mail_unsent: 'mail (tenant_id, created_at, id) where outcome is null',
  mail_given_up: `mail (tenant_id, created_at, id) where outcome = 'given_up'`,
  mail_by_creation: 'mail (created_at)',
  audit_refused_by_time: `audit (at) where outcome = 'refused'`,
}

/** The indexes in which the tenants with waiting messages are found. */
const WAITING_INDEXES = Object.fromEntries(
  ['mail', 'notices'].map((name) => [
    `${name}_waiting`,
    `${name} (tenant_id, due_at) where due_at < ${NEVER}`,
  ]),
)

/** The indexes in which messages that failed so far are counted. */
const FAILED_INDEXES = Object.fromEntries(
  ['mail', 'notices'].map((name) => [
    `${name}_failed`,
    `${name} (tenant_id, due_at) where ${FAILED_CONDITION}`,
  ]),
)

/** Every change since release 0.2.0. */
export const changes: readonly Change[] = [
  ...changesOf('postgres', { tables: NEW_TABLES, indexes: OWN_INDEXES, step: fillSearchTexts }),
  { name: '0028-turns-of-tenants', indexes: WAITING_INDEXES },
  { name: '0029-failed-messages', indexes: FAILED_INDEXES },
  INSTANTS_IN_RANGE,
  addOwnCallbacks('postgres'),
  { name: '0033-never-logged-in-key', statements: CHECK_NEVER, isLong: true },
]

/** The statements that create all tables and indexes in an empty database. */
export function createAll(): string[] {
  const indexes = Object.entries({
    ...indexesOf('postgres'),
    ...LATER_INDEXES,
    ...OWN_INDEXES,
    ...WAITING_INDEXES,
    ...FAILED_INDEXES,
  })
  return [
    ...createTables('postgres'),
    ...OWN_TABLES,
    ...NEW_TABLES,
    ...indexes.map(([name, on]) => createIndex(name, on)),
  ]
}
