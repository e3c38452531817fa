import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { Schema } from '../sql/schema.ts'
import { makeAddressesCanonical } from './canonical-addresses.ts'
import { addSearchKeys } from './search-keys.ts'

/** Every change of the tables, oldest first. One that was released is never edited. */
const migrations: Record<string, Migration> = {
  '0001-foundations': { up: createFoundations },
  '0002-credential-state': { up: addCredentialState },
  '0003-held-domains': { up: createHeldDomains },
  '0004-canonical-addresses': { up: makeAddressesCanonical },
  '0005-audit-facts': { up: addAuditFacts },
  '0006-rotations': { up: addRotations },
  '0007-search-keys': { up: addSearchKeys },
  '0008-audit-search': { up: addAuditSearch },
  '0009-connections': { up: addConnections },
  '0010-operators': { up: createOperators },
  '0011-audit-by-time': { up: addAuditByTime },
  '0012-deletions': { up: addDeletions },
  '0013-tenant-search': { up: addTenantSearch },
}

/**
 * Brings the tables to the newest version; what was done is remembered in `kysely_migration`.
 *
 * @throws when the database was written by a newer version of the service.
 */
export async function migrate(db: Kysely<Schema>): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const { error } = await migrator.migrateToLatest()
  if (error) {
    throw new Error(
      'The database could not be brought to the version of this service; ' +
        'was it written by a newer one?',
      { cause: error },
    )
  }
}

// Rows are clustered by tenant and id, so that a page is read in one piece wherever it lies.
async function createFoundations(db: Kysely<unknown>): Promise<void> {
  const statements = [
    sql`create table tenants (
      id text primary key,
      domain text not null unique,
      name text not null,
      settings text not null,
      metadata text not null,
      created_at integer not null,
      updated_at integer not null
    ) strict, without rowid`,
    sql`create table applications (
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
      primary key (tenant_id, id)
    ) strict, without rowid`,
    sql`create table users (
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
      primary key (tenant_id, id)
    ) strict, without rowid`,
    sql`create unique index users_by_email on users (tenant_id, email_key)`,
    sql`create table credentials (
      tenant_id text not null,
      user_id text not null,
      id text not null,
      type text not null,
      secret text not null,
      metadata text not null,
      disabled integer not null,
      created_at integer not null,
      updated_at integer not null,
      primary key (tenant_id, user_id, id),
      foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
    ) strict, without rowid`,
    sql`create table api_keys (
      id text primary key,
      name text not null,
      hash text not null unique,
      last4 text not null,
      reaches_all integer not null,
      created_at integer not null,
      expires_at integer,
      revoked_at integer,
      last_used_at integer
    ) strict, without rowid`,
    sql`create table api_key_tenants (
      key_id text not null references api_keys (id) on delete cascade,
      tenant_id text not null references tenants (id) on delete cascade,
      primary key (key_id, tenant_id)
    ) strict, without rowid`,
    sql`create index api_key_tenants_by_tenant on api_key_tenants (tenant_id)`,
    sql`create table signing_keys (
      tenant_id text not null references tenants (id) on delete cascade,
      id text not null,
      created_at integer not null,
      sealed_jwk text not null,
      primary key (tenant_id, id)
    ) strict, without rowid`,
    sql`create table audit (
      id integer primary key autoincrement,
      at integer not null,
      tenant_id text,
      actor text not null,
      request_id text,
      action text not null,
      target text not null
    ) strict`,
    sql`create index audit_by_tenant on audit (tenant_id)`,
    sql`create index audit_by_request on audit (request_id) where request_id is not null`,
    sql`create index audit_by_target on audit (target)`,
    sql`create table counters (
      scope text primary key,
      value integer not null
    ) strict, without rowid`,
  ]
  for (const statement of statements) await statement.execute(db)
}

// A column with a default rewrites no row; only the passwords that a login upgraded are written again.
async function addCredentialState(db: Kysely<unknown>): Promise<void> {
  const statements = [
    sql`alter table credentials add column state text not null default '{}'`,
    sql`alter table credentials add column rev integer not null default 1`,
    sql`update credentials
      set state = json_object('upgradedFrom', secret ->> 'upgradedFrom'),
        secret = json_remove(secret, '$.upgradedFrom')
      where secret ->> 'upgradedFrom' is not null`,
  ]
  for (const statement of statements) await statement.execute(db)
}

// Without a reference to the tenant: the domain of one that was deleted is held too.
async function createHeldDomains(db: Kysely<unknown>): Promise<void> {
  await sql`create table held_domains (
    domain text primary key,
    tenant_id text not null,
    until integer not null
  ) strict, without rowid`.execute(db)
  await sql`create index held_domains_by_tenant on held_domains (tenant_id, until)`.execute(db)
}

// Actions have a dot in their names; refused requests were noted by their error codes.
async function addAuditFacts(db: Kysely<unknown>): Promise<void> {
  const statements = [
    sql`alter table audit add column outcome text not null default 'success'`,
    sql`alter table audit add column address text`,
    sql`alter table audit add column user_agent text`,
    sql`alter table audit add column application_id text`,
    sql`update audit set outcome = 'refused' where action not like '%.%'`,
    sql`update audit set outcome = 'failure'
      where action like 'login.%' and action <> 'login.succeeded'
        or action like 'limit.%' or action like '%.given_up'`,
    sql`create index audit_refused on audit (actor, id) where outcome = 'refused'`,
  ]
  for (const statement of statements) await statement.execute(db)
}

async function addRotations(db: Kysely<unknown>): Promise<void> {
  const statements = [
    sql`alter table applications add column earlier_secret text`,
    sql`alter table applications add column earlier_secret_until integer`,
    sql`alter table api_keys add column read_only integer not null default 0`,
  ]
  for (const statement of statements) await statement.execute(db)
}

async function addAuditSearch(db: Kysely<unknown>): Promise<void> {
  const statements = [
    sql`alter table audit add column fields text`,
    sql`create index audit_by_tenant_and_time on audit (tenant_id, at, id)`,
    sql`drop index audit_by_tenant`,
  ]
  for (const statement of statements) await statement.execute(db)
}

async function addAuditByTime(db: Kysely<unknown>): Promise<void> {
  await sql`create index audit_by_time on audit (at, id)`.execute(db)
}

async function addDeletions(db: Kysely<unknown>): Promise<void> {
  const statements = [
    sql`alter table tenants add column deleted_at integer`,
    sql`alter table tenants add column deleted_users integer`,
    sql`create index tenants_deleted on tenants (deleted_at) where deleted_at is not null`,
  ]
  for (const statement of statements) await statement.execute(db)
}

// The id of a social credential is made from connection, issuer and subject: one user of a tenant has it.
async function addConnections(db: Kysely<unknown>): Promise<void> {
  await sql`create table connections (
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
  ) strict, without rowid`.execute(db)
  await sql`create unique index connections_by_name on connections (tenant_id, name)`.execute(db)
  await sql`create unique index credentials_social on credentials (tenant_id, id)
    where type = 'SocialCredential'`.execute(db)
}

async function createOperators(db: Kysely<unknown>): Promise<void> {
  await sql`create table operators (
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
  ) strict, without rowid`.execute(db)
}

// Letters of ASCII alone have a case here, as in the other stores.
async function addTenantSearch(db: Kysely<unknown>): Promise<void> {
  await sql`create index tenants_by_name on tenants (lower(name), id)`.execute(db)
}
