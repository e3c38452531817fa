import { LOG_SHARDS, VOID_SESSIONS, WEBHOOKS } from '../cursors.ts'
import { NOT_DUE } from '../deliveries.ts'
import type { Queries } from '../sql/engine.ts'
import { createJobPartsTable, createJobsTable } from '../sql/jobs.ts'
import { domainIndexes, listFilterIndexes } from '../sql/list-filters.ts'
import { name as named, once, raw, script, sql, textOf } from '../sql/sql.ts'
import { addSearchKeys, fillSearchKeys } from './search-keys.ts'
import { addUserLists, fillLastLogins, fillSearchTexts } from './trigrams.ts'
import { DOMAIN } from './user-texts.ts'

/**
 * One change of the tables, in a transaction. One that writes many rows does so in steps: it answers
 * `unfinished`, and is asked again in a transaction of its own.
 */
type Migration = ((db: Queries) => Promise<unknown>) | IndexesOfFullTables

/** Indexes that are made while the tables are written: `create index concurrently`, without a transaction. */
export interface IndexesOfFullTables {
  /** By the name of the index: its table, columns and condition, as they follow `on`. */
  readonly indexes: Readonly<Record<string, string>>
}

/**
 * Every change of the tables, oldest first. A released change is never edited. No change removes
 * something that the previous release needs, because that release serves until it is replaced.
 */
export const migrations: Record<string, Migration> = {
  '0001-foundations': createFoundations,
  '0002-search-keys': addSearchKeys,
  '0003-fill-search-keys': fillSearchKeys,
  '0004-audit-search': addAuditSearch,
  '0005-outbox': addOutbox,
  '0006-connections': addConnections,
  '0007-operators': createOperators,
  '0008-audit-by-time': addAuditByTime,
  '0009-deletions': addDeletions,
  '0010-tenant-search': addTenantSearch,
  '0011-key-ids': makeKeyIdsUnique,
  '0012-costly-passwords': {
    // Passwords whose verification takes longer than one of the standard cost.
    indexes: {
      credentials_costly: `credentials (tenant_id, substr(secret, length(secret) - 2, 2))
        where type = 'PasswordCredential' and substr(secret, length(secret) - 2, 2) in ('11', '12')`,
    },
  },
  '0013-cursors': addCursors,
  '0014-sealing-keys': addSealingKeys,
  '0015-list-filters': { indexes: listFilters() },
  '0016-user-lists': addUserLists,
  '0016-user-lists-indexes': {
    indexes: domainIndexes(textOf(DOMAIN, 'postgres')),
  },
  '0017-fill-search-texts': fillSearchTexts,
  '0018-mail-by-creation': { indexes: { mail_by_creation: 'mail (created_at)' } },
  '0019-webhooks': addWebhooks,
  '0020-revision-tenants': addRevisionTenants,
  '0021-log-of-tenants': {
    indexes: { audit_of_tenant: `audit (tenant_id, id) where outcome <> 'refused'` },
  },
  '0022-refusals-by-time': {
    indexes: { audit_refused_by_time: `audit (at) where outcome = 'refused'` },
  },
  '0023-jobs': addJobs,
  '0024-fill-last-logins': fillLastLogins,
  '0025-job-parts': addJobParts,
}

/** How many shards a counter has, so that inserts into one list do not wait for each other. */
export const COUNTER_SHARDS = 16

/**
 * Names sort by their bytes, as in JavaScript and SQLite. The columns are those of SQLite, so that rows
 * can be moved as they are; `rev` counts the versions of a row.
 */
async function createFoundations(db: Queries): Promise<void> {
  const statements = [
    sql`create table tenants (
      id text collate "C" primary key,
      domain text collate "C" not null unique,
      name text not null,
      settings text not null,
      metadata text not null,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    sql`create table applications (
      tenant_id text collate "C" not null references tenants (id) on delete cascade,
      id text collate "C" not null,
      name text not null,
      sealed_secret text not null,
      earlier_secret text,
      earlier_secret_until bigint,
      login_url text not null,
      logout_urls text not null,
      redirect_urls text not null,
      metadata text not null,
      created_at bigint not null,
      updated_at bigint not null,
      primary key (tenant_id, id)
    )`,
    sql`create table users (
      tenant_id text collate "C" not null references tenants (id) on delete cascade,
      id text collate "C" not null,
      email text not null,
      email_key text collate "C" not null,
      profile text not null,
      metadata text not null,
      disabled smallint not null,
      verified_at bigint,
      sessions_valid_after bigint not null,
      created_at bigint not null,
      updated_at bigint not null,
      rev bigint not null default 1,
      primary key (tenant_id, id)
    )`,
    sql`create unique index users_by_email on users (tenant_id, email_key)`,
    sql`create table credentials (
      tenant_id text collate "C" not null,
      user_id text collate "C" not null,
      id text collate "C" not null,
      type text not null,
      secret text not null,
      metadata text not null,
      disabled smallint not null,
      created_at bigint not null,
      updated_at bigint not null,
      state text not null,
      rev bigint not null,
      primary key (tenant_id, user_id, id),
      foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
    )`,
    sql`create table api_keys (
      id text collate "C" primary key,
      name text not null,
      hash text collate "C" not null unique,
      last4 text not null,
      reaches_all smallint not null,
      read_only smallint not null default 0,
      created_at bigint not null,
      expires_at bigint,
      revoked_at bigint,
      last_used_at bigint
    )`,
    sql`create table api_key_tenants (
      key_id text collate "C" not null references api_keys (id) on delete cascade,
      tenant_id text collate "C" not null references tenants (id) on delete cascade,
      primary key (key_id, tenant_id)
    )`,
    sql`create index api_key_tenants_by_tenant on api_key_tenants (tenant_id)`,
    sql`create table signing_keys (
      tenant_id text collate "C" not null references tenants (id) on delete cascade,
      id text collate "C" not null,
      created_at bigint not null,
      sealed_jwk text not null,
      primary key (tenant_id, id)
    )`,
    // Without a reference to the tenant: the domain of one that was deleted is held too.
    sql`create table held_domains (
      domain text collate "C" primary key,
      tenant_id text collate "C" not null,
      until bigint not null
    )`,
    sql`create index held_domains_by_tenant on held_domains (tenant_id, until)`,
    // Ids become visible out of order; xid tells which entries may still have one before them.
    sql`create table audit (
      id bigint generated by default as identity primary key,
      xid xid8 not null default pg_current_xact_id(),
      at bigint not null,
      tenant_id text collate "C",
      actor text not null,
      request_id text collate "C",
      action text not null,
      target text collate "C" not null,
      outcome text not null default 'success',
      address text,
      user_agent text,
      application_id text
    )`,
    sql`create index audit_refused on audit (actor, id) where outcome = 'refused'`,
    sql`create index audit_by_tenant on audit (tenant_id, id)`,
    sql`create index audit_by_request on audit (request_id) where request_id is not null`,
    sql`create index audit_by_target on audit (target, id)`,
    sql`create index audit_by_time on audit using brin (at)`,
    sql`create table counter_shards (
      scope text collate "C" not null,
      shard smallint not null,
      n bigint not null,
      primary key (scope, shard)
    ) with (fillfactor = 50)`,
    sql`create view counters as
      select scope, sum(n)::bigint as value from counter_shards group by scope`,
    sql`insert into counter_shards
      select 'tenants', shard, 0 from generate_series(0, ${raw(String(COUNTER_SHARDS - 1))}) as shard`,
    // least_schema: the first version of the tables that a service must know to serve from them.
    sql`create table revision (
      id smallint primary key check (id = 1),
      n bigint not null,
      least_schema smallint not null
    )`,
    sql`insert into revision values (1, 0, 1)`,
    ...['mail', 'notices'].flatMap((name) => [
      sql`create table ${named(name)} (
        id text collate "C" primary key,
        number bigint generated always as identity,
        tenant_id text collate "C" not null,
        created_at bigint not null,
        due_at bigint not null,
        attempts integer not null,
        sealed text not null
      )`,
      sql`create index ${named(`${name}_by_due`)} on ${named(name)} (due_at)`,
      sql`create index ${named(`${name}_by_tenant`)} on ${named(name)} (tenant_id, number)`,
    ]),
  ]
  for (const statement of statements) await db.run(once(statement))
}

async function addAuditSearch(db: Queries): Promise<void> {
  const statements = [
    sql`alter table audit add column fields text`,
    sql`create index audit_by_tenant_and_time on audit (tenant_id, at, id)`,
    sql`drop index audit_by_tenant`,
  ]
  for (const statement of statements) await db.run(once(statement))
}

/** The recipient of a message, and how it ended. */
async function addOutbox(db: Queries): Promise<void> {
  const statements = [
    ...['mail', 'notices'].map(
      (name) => sql`alter table ${named(name)}
        add column kind text,
        add column user_id text collate "C",
        add column answer text,
        add column outcome text,
        add column ended_at bigint`,
    ),
    sql`create index mail_by_time on mail (tenant_id, created_at, id)`,
    sql`create index mail_by_user on mail (tenant_id, user_id, created_at, id)
      where user_id is not null`,
  ]
  for (const statement of statements) await db.run(once(statement))
}

/** Replaces an index that could not return entries in order. */
async function addAuditByTime(db: Queries): Promise<void> {
  await db.run(once(sql`create index audit_by_time_and_id on audit (at, id)`))
  await db.run(once(sql`drop index audit_by_time`))
}

async function addDeletions(db: Queries): Promise<void> {
  const statements = [
    sql`alter table tenants add column deleted_at bigint, add column deleted_users bigint`,
    sql`create index tenants_deleted on tenants (deleted_at) where deleted_at is not null`,
  ]
  for (const statement of statements) await db.run(once(statement))
}

// The id of a social credential is made from connection, issuer and subject: one user of a tenant has it.
async function addConnections(db: Queries): Promise<void> {
  await db.run(
    once(sql`create table connections (
    tenant_id text collate "C" not null references tenants (id) on delete cascade,
    id text collate "C" not null,
    name text not null,
    recipe text not null,
    issuer text not null,
    client_id text not null,
    sealed_secret text not null,
    scopes text not null,
    trust_email smallint not null,
    allow_signup smallint not null,
    enabled smallint not null,
    apple text,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (tenant_id, id)
  )`),
  )
  await db.run(once(sql`create unique index connections_by_name on connections (tenant_id, name)`))
  await db.run(
    once(sql`create unique index credentials_social on credentials (tenant_id, id)
    where type = 'SocialCredential'`),
  )
}

async function createOperators(db: Queries): Promise<void> {
  await db.run(
    once(sql`create table operators (
    tenant_id text collate "C" not null,
    id text collate "C" not null,
    role text not null,
    reach text not null,
    created_at bigint not null,
    updated_at bigint not null,
    invitation_hash text collate "C",
    invitation_until bigint,
    primary key (tenant_id, id),
    foreign key (tenant_id, id) references users (tenant_id, id) on delete cascade
  )`),
  )
}

async function addTenantSearch(db: Queries): Promise<void> {
  await db.run(once(sql`create index tenants_by_name on tenants (lower(name collate "C"), id)`))
}

// A passkey or security key is one user's of the tenant. Of those that several users had, the first one stays.
async function makeKeyIdsUnique(db: Queries): Promise<void> {
  await db.run(
    once(sql`delete from credentials as later where type = 'HardwareCredential' and exists (
    select 1 from credentials as first
    where first.tenant_id = later.tenant_id and first.id = later.id and first.type = later.type
    and (first.created_at, first.user_id) < (later.created_at, later.user_id))`),
  )
  await db.run(
    once(sql`create unique index credentials_keys on credentials (tenant_id, id)
    where type = 'HardwareCredential'`),
  )
}

// The readers of the audit log begin an hour before its end, as the release before kept their place elsewhere.
async function addCursors(db: Queries): Promise<void> {
  await db.run(
    once(sql`create table cursors (
    reader text collate "C" not null,
    shard smallint not null,
    position bigint not null,
    ahead text not null default '[]',
    fence bigint not null default 0,
    held_until timestamptz not null default '-infinity',
    primary key (reader, shard)
  )`),
  )
  await db.run(
    once(sql`insert into cursors (reader, shard, position)
    select ${raw(`'${VOID_SESSIONS}'`)}, shard, coalesce((
      select id from audit where at < (select at from audit order by id desc limit 1) - 3600000000
      order by at desc, id desc limit 1), 0)
    from generate_series(0, ${raw(String(LOG_SHARDS - 1))}) as shard`),
  )
}

async function addSealingKeys(db: Queries): Promise<void> {
  await db.run(once(sql`create table sealing_keys (id text collate "C" primary key)`))
}

function listFilters(): Record<string, string> {
  return {
    ...listFilterIndexes((column) => `(${column} collate "C")`),
    // Most messages have been sent.
    mail_unsent: 'mail (tenant_id, created_at, id) where outcome is null',
    mail_given_up: `mail (tenant_id, created_at, id) where outcome = 'given_up'`,
  }
}

// The tenants that a revision concerns. A release that writes none has all processes read everything again.
async function addRevisionTenants(db: Queries): Promise<void> {
  await db.run(
    once(sql`create table revision_tenants (
    n bigint not null,
    tenant_id text collate "C" not null,
    primary key (n, tenant_id)
  )`),
  )
}

// Endpoints of deleted tenants stay until the last event is delivered, so that nothing refers to a tenant.
async function addWebhooks(db: Queries): Promise<void> {
  const statements = [
    `create table webhooks (
      tenant_id text collate "C" not null,
      id text collate "C" not null unique,
      url text not null,
      description text not null,
      types text not null,
      metadata text not null,
      disabled text,
      sealed_secret text not null,
      earlier_secret text,
      earlier_secret_until bigint,
      created_at bigint not null,
      updated_at bigint not null,
      due_at bigint not null default ${NOT_DUE},
      held_until bigint not null default 0,
      fence bigint not null default 0,
      failing_since bigint,
      primary key (tenant_id, id)
    )`,
    'create index webhooks_due on webhooks (due_at)',
    `create table deliveries (
      id bigint generated by default as identity primary key,
      webhook_id text collate "C" not null references webhooks (id) on delete cascade,
      event_id text collate "C" not null,
      type text not null,
      body text not null,
      created_at bigint not null,
      due_at bigint not null,
      attempts bigint not null default 0,
      tried_at bigint,
      status bigint,
      reason text,
      millis bigint,
      outcome text
    )`,
    'create unique index deliveries_once on deliveries (webhook_id, event_id)',
    'create index deliveries_due on deliveries (webhook_id, due_at) where outcome is null',
    'create index deliveries_by_webhook on deliveries (webhook_id, id)',
    `insert into cursors (reader, shard, position)
      select '${WEBHOOKS}', shard, (select coalesce(max(id), 0) from audit)
      from generate_series(0, ${LOG_SHARDS - 1}) as shard`,
  ]
  for (const statement of statements) await db.run(script(statement))
}

async function addJobs(db: Queries): Promise<void> {
  for (const statement of createJobsTable('collate "C"', 'bigint')) {
    await db.run(script(statement))
  }
}

async function addJobParts(db: Queries): Promise<void> {
  for (const statement of createJobPartsTable('collate "C"', 'bigint')) {
    await db.run(script(statement))
  }
}
