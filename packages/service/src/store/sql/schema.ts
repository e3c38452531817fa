import type { CredentialType } from '../../resources/credentials.ts'
import { names, type Sql } from './sql.ts'

/**
 * The tables, with the type and constraints of each column.
 *
 * A `key` is text that is compared by bytes. A `flag` is 0 or 1. A `serial` is a number that grows
 * with each row. JSON is stored as text, and times as integers in microseconds.
 *
 * `record` has the columns that make the record. Statements name each of these columns, so that
 * prepared statements stay valid when the next release adds a column. `more` has further columns,
 * and `sqlite` and `postgres` those of one database. `rules` has the constraints of the table.
 */
export const tables = {
  tenants: {
    record: {
      id: 'key primary key',
      domain: 'key not null unique',
      name: 'text not null',
      settings: 'text not null',
      metadata: 'text not null',
      created_at: 'integer not null',
      updated_at: 'integer not null',
    },
    // Set when the tenant is deleted: the time, and the number of its users. `null` before.
    more: { deleted_at: 'integer', deleted_users: 'integer' },
  },
  tenant_logos: {
    record: {
      tenant_id: 'key primary key references tenants (id) on delete cascade',
      hash: 'key not null',
      // The image in base64.
      image: 'text not null',
    },
  },
  applications: {
    record: {
      tenant_id: 'key not null references tenants (id) on delete cascade',
      id: 'key not null',
      name: 'text not null',
      sealed_secret: 'text not null',
      earlier_secret: 'text',
      earlier_secret_until: 'integer',
      login_url: 'text not null',
      logout_urls: 'text not null',
      redirect_urls: 'text not null',
      metadata: 'text not null',
      created_at: 'integer not null',
      updated_at: 'integer not null',
    },
    rules: ['primary key (tenant_id, id)'],
  },
  users: {
    record: {
      tenant_id: 'key not null references tenants (id) on delete cascade',
      id: 'key not null',
      email: 'text not null',
      email_key: 'key not null',
      profile: 'text not null',
      metadata: 'text not null',
      disabled: 'flag not null',
      verified_at: 'integer',
      sessions_valid_after: 'integer not null',
      created_at: 'integer not null',
      updated_at: 'integer not null',
      // The keys for searches; `null` if an earlier release wrote the row.
      name_key: 'key',
      family_name_key: 'key',
    },
    // Columns that only searches read. PostgreSQL has the search text in a separate table.
    sqlite: { search_text: 'text', domain_key: 'text' },
    postgres: { rev: 'integer not null default 1' },
    rules: ['primary key (tenant_id, id)'],
  },
  credentials: {
    record: {
      tenant_id: 'key not null',
      user_id: 'key not null',
      id: 'key not null',
      type: 'text not null',
      secret: 'text not null',
      metadata: 'text not null',
      disabled: 'flag not null',
      created_at: 'integer not null',
      updated_at: 'integer not null',
      state: 'text not null',
      rev: 'integer not null',
    },
    rules: [
      'primary key (tenant_id, user_id, id)',
      'foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade',
    ],
  },
  api_keys: {
    record: {
      id: 'key primary key',
      name: 'text not null',
      hash: 'key not null unique',
      last4: 'text not null',
      reaches_all: 'flag not null',
      read_only: 'flag not null default 0',
      created_at: 'integer not null',
      expires_at: 'integer',
      revoked_at: 'integer',
      last_used_at: 'integer',
    },
  },
  api_key_tenants: {
    record: {
      key_id: 'key not null references api_keys (id) on delete cascade',
      tenant_id: 'key not null references tenants (id) on delete cascade',
    },
    rules: ['primary key (key_id, tenant_id)'],
  },
  signing_keys: {
    record: {
      tenant_id: 'key not null references tenants (id) on delete cascade',
      id: 'key not null',
      created_at: 'integer not null',
      sealed_jwk: 'text not null',
    },
    rules: ['primary key (tenant_id, id)'],
  },
  connections: {
    record: {
      tenant_id: 'key not null references tenants (id) on delete cascade',
      id: 'key not null',
      name: 'text not null',
      recipe: 'text not null',
      issuer: 'text not null',
      client_id: 'text not null',
      sealed_secret: 'text not null',
      scopes: 'text not null',
      trust_email: 'flag not null',
      allow_signup: 'flag not null',
      enabled: 'flag not null',
      apple: 'text',
      // Null in the rows of earlier versions.
      own_callback: 'flag',
      created_at: 'integer not null',
      updated_at: 'integer not null',
    },
    rules: ['primary key (tenant_id, id)'],
  },
  // The operators of the management console. `tenant_id` is the system tenant in every row.
  operators: {
    record: {
      tenant_id: 'key not null',
      id: 'key not null',
      role: 'text not null',
      reach: 'text not null',
      created_at: 'integer not null',
      updated_at: 'integer not null',
      invitation_hash: 'key',
      invitation_until: 'integer',
      // 1 if the invitation is a recovery, else `null`.
      invitation_recovers: 'flag',
    },
    rules: [
      'primary key (tenant_id, id)',
      'foreign key (tenant_id, id) references users (tenant_id, id) on delete cascade',
    ],
  },
  audit: {
    record: {
      id: 'serial',
      at: 'integer not null',
      tenant_id: 'key',
      actor: 'text not null',
      request_id: 'key',
      action: 'text not null',
      target: 'key not null',
      outcome: "text not null default 'success'",
      address: 'text',
      user_agent: 'text',
      application_id: 'text',
      fields: 'text',
    },
    // Transactions do not commit in the order of the ids of their entries. From this column,
    // release 0.2.0 finds the id up to which no entry is missing.
    postgres: { xid: 'xid8 not null default pg_current_xact_id()' },
  },
  // A separate table, because release 0.2.0 selects all columns of `audit` on PostgreSQL and fails
  // if there is a new column.
  audit_details: {
    record: {
      audit_id: 'integer not null primary key references audit (id) on delete cascade',
      actor: 'text',
      target: 'text',
      changes: 'text',
    },
  },
  // A table with one row: the name of the audit log, which a backup keeps, and the id up to which
  // entries were pruned.
  audit_log: {
    record: { id: 'flag primary key', name: 'key not null', pruned_to: 'integer not null' },
  },
  // The restores of backups. The audit log of the backup ends with the id `ends` and continues with
  // `begins`, so that no id is used twice.
  restores: {
    record: { begins: 'integer primary key', ends: 'integer not null', at: 'integer not null' },
  },
  // API keys and operators that were restored with a backup and have not been confirmed yet.
  unconfirmed: {
    record: { id: 'key primary key', kind: 'text not null', since: 'integer not null' },
  },
  // Domains that a tenant gave up, or had when it was deleted. Each is reserved for the tenant
  // until `until`.
  held_domains: {
    record: { domain: 'key primary key', tenant_id: 'key not null', until: 'integer not null' },
  },
  // The position of each reader of the audit log in each shard.
  cursors: {
    record: {
      reader: 'key not null',
      shard: 'flag not null',
      position: 'integer not null',
      ahead: "text not null default '[]'",
      fence: 'integer not null default 0',
    },
    postgres: { held_until: "timestamptz not null default '-infinity'" },
    rules: ['primary key (reader, shard)'],
  },
  // The time and the login method of each user's last login.
  last_logins: {
    record: {
      tenant_id: 'key not null',
      user_id: 'key not null',
      at: 'integer not null',
      // `null` if an earlier release wrote the row.
      way: 'text',
    },
    rules: [
      'primary key (tenant_id, user_id)',
      'foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade',
    ],
  },
  // A separate table, because release 0.2.0 selects all columns of `users` on PostgreSQL and fails
  // if there is a new column.
  standings: {
    record: {
      tenant_id: 'key not null',
      user_id: 'key not null',
      moves: 'integer not null',
      rulings: 'integer not null',
      displaced: 'text',
      contested_at: 'integer',
      readdressed: 'text',
    },
    rules: [
      'primary key (tenant_id, user_id)',
      'foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade',
    ],
  },
  // A separate table, because release 0.2.0 does not know legacy passwords as a type of credential.
  legacy_passwords: {
    record: {
      tenant_id: 'key not null',
      user_id: 'key not null',
      scheme: 'text not null',
      verifier: 'text not null',
      sealed_key: 'text',
      kind: 'text not null',
      work: 'integer not null',
    },
    rules: [
      'primary key (tenant_id, user_id)',
      'foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade',
    ],
  },
  // The tenant is no foreign key, because an endpoint of a deleted tenant stays until its last
  // event is delivered.
  webhooks: {
    record: {
      tenant_id: 'key not null',
      id: 'key not null unique',
      url: 'text not null',
      description: 'text not null',
      types: 'text not null',
      metadata: 'text not null',
      disabled: 'text',
      sealed_secret: 'text not null',
      earlier_secret: 'text',
      earlier_secret_until: 'integer',
      created_at: 'integer not null',
      updated_at: 'integer not null',
    },
    // The state of the endpoint's queue of deliveries, which is not part of the endpoint's record.
    more: {
      due_at: 'integer not null default 9007199254740991',
      held_until: 'integer not null default 0',
      fence: 'integer not null default 0',
      failing_since: 'integer',
      // The id of the audit log entry after which a disabled endpoint misses events.
      missing_from: 'integer',
    },
    rules: ['primary key (tenant_id, id)'],
  },
  deliveries: {
    record: {
      id: 'serial',
      webhook_id: 'key not null references webhooks (id) on delete cascade',
      event_id: 'key not null',
      type: 'text not null',
      body: 'text not null',
      created_at: 'integer not null',
      due_at: 'integer not null',
      attempts: 'integer not null default 0',
      tried_at: 'integer',
      status: 'integer',
      reason: 'text',
      millis: 'integer',
      outcome: 'text',
    },
  },
  jobs: {
    record: {
      id: 'key primary key',
      tenant_id: 'key not null references tenants (id) on delete cascade',
      kind: 'text not null',
      state: 'text not null',
      users: 'text not null',
      actor: 'text not null',
      progress: 'text not null',
      total: 'integer not null',
      created_at: 'integer not null',
      held_until: 'integer not null',
      fence: 'integer not null',
    },
  },
  // The parts of an import.
  job_parts: {
    record: {
      job_id: 'key not null references jobs (id) on delete cascade',
      n: 'integer not null',
      content: 'text not null',
      result: 'text not null',
    },
    rules: ['primary key (job_id, n)'],
  },
  // The users who have never logged in, maintained by triggers. Without this table, a search for
  // them would read every user.
  never_logged_in: {
    record: { tenant_id: 'key not null', user_id: 'key not null' },
    rules: [
      'primary key (tenant_id, user_id)',
      'foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade',
    ],
  },
  // The numbers of mails of a tenant that were sent and given up on a day. The messages themselves
  // are deleted after a week.
  mail_days: {
    record: {
      tenant_id: 'key not null references tenants (id) on delete cascade',
      // Days since the epoch, in UTC.
      day: 'integer not null',
      sent: 'integer not null',
      given_up: 'integer not null',
    },
    rules: ['primary key (tenant_id, day)'],
  },
} as const

/** The name of one of {@link tables}. */
export type TableName = keyof typeof tables

/** The types of text columns that have only a few possible values, by table. */
interface Words {
  credentials: { type: CredentialType }
  operators: { role: 'owner' | 'admin' | 'support' | 'viewer' }
  audit: { outcome: 'success' | 'failure' | 'refused' }
  unconfirmed: { kind: 'api_key' | 'operator' }
  deliveries: { outcome: 'delivered' | 'given_up' | null }
}

type Nullable<Column> = Column extends
  | 'serial'
  | `${string}not null${string}`
  | `${string}primary key`
  ? never
  : null

type ValueOf<Column> =
  | (Column extends `${'key' | 'text'}${string}` ? string : number)
  | Nullable<Column>

/** A row of a table, with the columns of its `record`. */
export type Row<Table extends TableName> = {
  -readonly [Column in keyof (typeof tables)[Table]['record']]: Table extends keyof Words
    ? Column extends keyof Words[Table]
      ? Words[Table][Column]
      : ValueOf<(typeof tables)[Table]['record'][Column]>
    : ValueOf<(typeof tables)[Table]['record'][Column]>
}

/** The names of the columns in the `record` of a table. */
export function columnsOf(table: TableName): readonly string[] {
  return Object.keys(tables[table].record)
}

const made = new Map<string, Sql>()

/**
 * The columns in the `record` of a table, as a list for a statement. `of`: the name of the table in
 * the statement. Default: the columns have no prefix.
 */
export function every(table: TableName, of = ''): Sql {
  const key = `${table} ${of}`
  const known = made.get(key) ?? names(columnsOf(table), of)
  made.set(key, known)
  return known
}
