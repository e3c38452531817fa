import type { DatabaseSync } from 'node:sqlite'
import { LOG_SHARDS, VOID_SESSIONS, WEBHOOKS } from '../cursors.ts'
import { NOT_DUE } from '../deliveries.ts'
import { createJobPartsTable, createJobsTable } from '../sql/jobs.ts'
import { listFilterIndexes } from '../sql/list-filters.ts'
import { addSearchFunctions, userListsSql } from './trigrams.ts'

/** The tables as release 0.2.0 left them. Rows are clustered by tenant and id, so that a page is read in one piece. */
const SCHEMA = `
create table tenants (
  id text primary key,
  domain text not null unique,
  name text not null,
  settings text not null,
  metadata text not null,
  created_at integer not null,
  updated_at integer not null,
  deleted_at integer,
  deleted_users integer
) strict, without rowid;
create index tenants_deleted on tenants (deleted_at) where deleted_at is not null;
create index tenants_by_name on tenants (lower(name), id);

create table applications (
  tenant_id text not null references tenants (id) on delete cascade,
  id text not null,
  name text not null,
  sealed_secret text not null,
  login_url text not null,
  logout_urls text not null,
  redirect_urls text not null,
  metadata text not null,
  created_at integer not null,
  updated_at integer not null,
  earlier_secret text,
  earlier_secret_until integer,
  primary key (tenant_id, id)
) strict, without rowid;

create table users (
  tenant_id text not null references tenants (id) on delete cascade,
  id text not null,
  email text not null,
  email_key text not null,
  profile text not null,
  metadata text not null,
  disabled integer not null,
  verified_at integer,
  sessions_valid_after integer not null,
  created_at integer not null,
  updated_at integer not null,
  name_key text,
  family_name_key text,
  primary key (tenant_id, id)
) strict, without rowid;
create unique index users_by_email on users (tenant_id, email_key);
create index users_by_name on users (tenant_id, name_key, id) where name_key > '';
create index users_by_family_name on users (tenant_id, family_name_key, id) where family_name_key > '';
create index users_disabled on users (tenant_id, id) where disabled = 1;
create index users_unverified on users (tenant_id, id) where verified_at is null;

create table credentials (
  tenant_id text not null,
  user_id text not null,
  id text not null,
  type text not null,
  secret text not null,
  metadata text not null,
  disabled integer not null,
  created_at integer not null,
  updated_at integer not null,
  state text not null default '{}',
  rev integer not null default 1,
  primary key (tenant_id, user_id, id),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
) strict, without rowid;
-- The id of a social credential is made from connection, issuer and subject: one user of a tenant has it.
create unique index credentials_social on credentials (tenant_id, id) where type = 'SocialCredential';

create table api_keys (
  id text primary key,
  name text not null,
  hash text not null unique,
  last4 text not null,
  reaches_all integer not null,
  created_at integer not null,
  expires_at integer,
  revoked_at integer,
  last_used_at integer,
  read_only integer not null default 0
) strict, without rowid;

create table api_key_tenants (
  key_id text not null references api_keys (id) on delete cascade,
  tenant_id text not null references tenants (id) on delete cascade,
  primary key (key_id, tenant_id)
) strict, without rowid;
create index api_key_tenants_by_tenant on api_key_tenants (tenant_id);

create table signing_keys (
  tenant_id text not null references tenants (id) on delete cascade,
  id text not null,
  created_at integer not null,
  sealed_jwk text not null,
  primary key (tenant_id, id)
) strict, without rowid;

create table connections (
  tenant_id text not null references tenants (id) on delete cascade,
  id text not null,
  name text not null,
  recipe text not null,
  issuer text not null,
  client_id text not null,
  sealed_secret text not null,
  scopes text not null,
  trust_email integer not null,
  allow_signup integer not null,
  enabled integer not null,
  apple text,
  created_at integer not null,
  updated_at integer not null,
  primary key (tenant_id, id)
) strict, without rowid;
create unique index connections_by_name on connections (tenant_id, name);

create table operators (
  tenant_id text not null,
  id text not null,
  role text not null,
  reach text not null,
  created_at integer not null,
  updated_at integer not null,
  invitation_hash text,
  invitation_until integer,
  primary key (tenant_id, id),
  foreign key (tenant_id, id) references users (tenant_id, id) on delete cascade
) strict, without rowid;

create table audit (
  id integer primary key autoincrement,
  at integer not null,
  tenant_id text,
  actor text not null,
  request_id text,
  action text not null,
  target text not null,
  outcome text not null default 'success',
  address text,
  user_agent text,
  application_id text,
  fields text
) strict;
create index audit_by_request on audit (request_id) where request_id is not null;
create index audit_by_target on audit (target);
create index audit_refused on audit (actor, id) where outcome = 'refused';
create index audit_by_tenant_and_time on audit (tenant_id, at, id);
create index audit_by_time on audit (at, id);

create table counters (
  scope text primary key,
  value integer not null
) strict, without rowid;

create table held_domains (
  domain text primary key,
  tenant_id text not null,
  until integer not null
) strict, without rowid;
create index held_domains_by_tenant on held_domains (tenant_id, until);
`

/** Every change since release 0.2.0, oldest first. One that was released is never edited. */
const migrations: readonly { name: string; sql: string }[] = [
  {
    // A passkey or security key is one user's of the tenant. Of those that several users had, the first one stays.
    name: '0014-key-ids',
    sql: `delete from credentials as later where type = 'HardwareCredential' and exists (
        select 1 from credentials as first
        where first.tenant_id = later.tenant_id and first.id = later.id and first.type = later.type
        and (first.created_at, first.user_id) < (later.created_at, later.user_id));
      create unique index credentials_keys on credentials (tenant_id, id) where type = 'HardwareCredential'`,
  },
  {
    // Passwords whose verification takes longer than one of the standard cost.
    name: '0015-costly-passwords',
    sql: `create index credentials_costly on credentials (tenant_id, substr(secret, length(secret) - 2, 2))
      where type = 'PasswordCredential' and substr(secret, length(secret) - 2, 2) in ('11', '12')`,
  },
  {
    // The readers of the audit log begin an hour before its end, as the release before kept their place elsewhere.
    name: '0016-cursors',
    sql: `create table cursors (
        reader text not null,
        shard integer not null,
        position integer not null,
        ahead text not null default '[]',
        fence integer not null default 0,
        primary key (reader, shard)
      ) strict, without rowid;
      with recursive shards (shard) as (select 0 union all select shard + 1 from shards where shard < ${LOG_SHARDS - 1})
      insert into cursors (reader, shard, position) select '${VOID_SESSIONS}', shard, coalesce((
        select id from audit where at < (select at from audit order by id desc limit 1) - 3600000000
        order by at desc, id desc limit 1), 0) from shards`,
  },
  {
    name: '0017-list-filters',
    sql: Object.entries(listFilterIndexes((column) => column))
      .map(([name, on]) => `create index ${name} on ${on}`)
      .join(';'),
  },
  { name: '0018-user-lists', sql: userListsSql },
  {
    // Endpoints of deleted tenants stay until the last event is delivered, so that nothing refers to a tenant.
    name: '0019-webhooks',
    sql: `create table webhooks (
        tenant_id text not null,
        id text not null unique,
        url text not null,
        description text not null,
        types text not null,
        metadata text not null,
        disabled text,
        sealed_secret text not null,
        earlier_secret text,
        earlier_secret_until integer,
        created_at integer not null,
        updated_at integer not null,
        due_at integer not null default ${NOT_DUE},
        held_until integer not null default 0,
        fence integer not null default 0,
        failing_since integer,
        primary key (tenant_id, id)
      ) strict, without rowid;
      create index webhooks_due on webhooks (due_at);
      create table deliveries (
        id integer primary key autoincrement,
        webhook_id text not null references webhooks (id) on delete cascade,
        event_id text not null,
        type text not null,
        body text not null,
        created_at integer not null,
        due_at integer not null,
        attempts integer not null default 0,
        tried_at integer,
        status integer,
        reason text,
        millis integer,
        outcome text
      ) strict;
      create unique index deliveries_once on deliveries (webhook_id, event_id);
      create index deliveries_due on deliveries (webhook_id, due_at) where outcome is null;
      create index deliveries_by_webhook on deliveries (webhook_id, id);
      create index audit_of_tenant on audit (tenant_id, id) where outcome <> 'refused';
      with recursive shards (shard) as (select 0 union all select shard + 1 from shards where shard < ${LOG_SHARDS - 1})
      insert into cursors (reader, shard, position)
        select '${WEBHOOKS}', shard, (select coalesce(max(id), 0) from audit) from shards`,
  },
  { name: '0022-jobs', sql: createJobsTable('', 'integer').join(';') },
  { name: '0023-job-parts', sql: createJobPartsTable('', 'integer').join(';') },
]

/** The last change of release 0.2.0, which {@link SCHEMA} includes. */
const BASE = '0013-tenant-search'

/**
 * Makes the tables, or brings them to this version of the service, in one transaction. What was done is noted in
 * `kysely_migration`, as release 0.2.0 has it.
 *
 * @throws when the database was written by a newer version of the service, or by one before 0.2.0.
 */
export function migrate(database: DatabaseSync): void {
  addSearchFunctions(database)
  database.exec('begin immediate')
  try {
    apply(database)
    database.exec('commit')
  } catch (error) {
    if (database.isTransaction) database.exec('rollback')
    throw new Error(
      'The database could not be brought to the version of this service; ' +
        'was it written by a newer one?',
      { cause: error },
    )
  }
}

function apply(database: DatabaseSync): void {
  database.exec(
    'create table if not exists kysely_migration (name text primary key, timestamp text not null)',
  )
  const note = database.prepare(
    "insert into kysely_migration (name, timestamp) values (?, datetime('now'))",
  )
  const rows = database.prepare('select name from kysely_migration').all()
  const done = new Set(rows.map(({ name }) => String(name)))
  if (done.size === 0) {
    database.exec(SCHEMA)
    note.run(BASE)
  } else if (!done.has(BASE)) {
    throw new Error(
      'The folder is of a version before 0.2.0. Open it with 0.2.0 once, then with this one.',
    )
  }
  const known = new Set(migrations.map(({ name }) => name))
  const newer = [...done].filter((name) => name > BASE && !known.has(name))
  if (newer.length > 0)
    throw new Error(`The database has changes of a newer version: ${newer.join(', ')}.`)
  for (const { name, sql } of migrations) {
    if (done.has(name)) continue
    database.exec(sql)
    note.run(name)
  }
}
