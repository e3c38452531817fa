import type { DatabaseSync } from 'node:sqlite'
import { searchTexts } from '../search-text.ts'
import type { Trigrams } from '../sql/engine.ts'
import { name, type Sql, sql } from '../sql/sql.ts'

/**
 * The statements that add the columns for search texts to a database of release 0.2.0, and fill
 * them.
 */
export const ADD_TEXTS = `alter table users add column search_text text;
  alter table users add column domain_key text;
  update users set
    search_text = latchkey_search_text(email_key, profile), domain_key = latchkey_domain_key(email_key)`

/**
 * The statements that create the index of trigrams. It is an FTS5 index that stores no texts.
 * `user_numbers` maps the number of an index row to the user. Triggers maintain the index, and
 * erase deleted users from it.
 */
export const CREATE_TEXT_INDEX = `
  create table user_numbers (
    number integer primary key,
    tenant_id text not null,
    user_id text not null,
    unique (tenant_id, user_id)
  ) strict;
  create virtual table users_text using fts5(
    text, content = '', tokenize = 'trigram case_sensitive 1', detail = none);
  insert into users_text (users_text, rank) values ('secure-delete', 1);
  insert into user_numbers (tenant_id, user_id) select tenant_id, id from users;
  insert into users_text (rowid, text) select number, search_text from user_numbers
    join users on users.tenant_id = user_numbers.tenant_id and users.id = user_numbers.user_id;
  create trigger users_text_insert after insert on users begin
    insert into user_numbers (tenant_id, user_id) values (new.tenant_id, new.id);
    insert into users_text (rowid, text) select number, new.search_text from user_numbers
      where tenant_id = new.tenant_id and user_id = new.id;
  end;
  create trigger users_text_update after update of search_text on users
  when old.search_text is not new.search_text begin
    insert into users_text (users_text, rowid, text) select 'delete', number, old.search_text from user_numbers
      where tenant_id = new.tenant_id and user_id = new.id;
    insert into users_text (rowid, text) select number, new.search_text from user_numbers
      where tenant_id = new.tenant_id and user_id = new.id;
  end;
  create trigger users_text_delete after delete on users begin
    insert into users_text (users_text, rowid, text) select 'delete', number, old.search_text from user_numbers
      where tenant_id = old.tenant_id and user_id = old.id;
    delete from user_numbers where tenant_id = old.tenant_id and user_id = old.id;
  end`

/** Adds the functions that {@link ADD_TEXTS} calls. */
export function addSearchFunctions(database: DatabaseSync): void {
  const textsOf = (emailKey: unknown, profile: unknown) =>
    searchTexts({ emailKey: String(emailKey), profile: JSON.parse(String(profile)) })
  database.function('latchkey_search_text', (email, profile) => textsOf(email, profile).search_text)
  database.function('latchkey_domain_key', (email) => textsOf(email, '{}').domain_key)
}

/** The parts of searches that use the index of trigrams in SQLite. */
export const trigrams: Trigrams = {
  isReady: async () => true,
  domain: name('domain_key'),
  contains: (text) => sql`instr(search_text, ${text}) > 0`,
  first: ({ tenantId, after, states, index }, count) => ({
    met: sql`select id, search_text from users ${indexedBy(index)}
      where tenant_id = ${tenantId} and id > ${after} and ${states} order by id limit ${count}`,
    texts: sql`select id, search_text from met`,
  }),
  find: ({ tenantId, after, states, index }, _, rare, most) => ({
    met: sql`select user_id from users_text cross join user_numbers on number = users_text.rowid
      where users_text match ${rare.map((one) => `"${one}"`).join(' AND ')}
        and user_numbers.tenant_id = ${tenantId} and user_id > ${after} limit ${most}`,
    // The statement reads users in the order of their ids, so that the page is full before the
    // texts of all users are read.
    texts: sql`select id, search_text from users ${indexedBy(index)}
      where tenant_id = ${tenantId} and id in (select user_id from met) and ${states}`,
  }),
}

function indexedBy(index: string | undefined): Sql {
  return index === undefined ? sql`` : sql`indexed by ${name(index)}`
}
