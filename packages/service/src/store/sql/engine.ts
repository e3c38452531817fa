import type { Sql } from './sql.ts'

/** The methods that run statements on a connection. */
export interface Queries {
  /** Runs a statement. Resolves to the rows that it reads or returns. */
  all<R>(statement: Sql<R>): Promise<R[]>
  first<R>(statement: Sql<R>): Promise<R | undefined>
  /** Runs a statement that writes. Resolves to the number of changed rows. */
  run(statement: Sql): Promise<number>
}

/** An index of trigrams, for searches in texts of users. */
export interface Trigrams {
  /** Whether the index exists. Some databases do not allow such an index. */
  isReady(): Promise<boolean>
  /** The expression for the domain of a user's address, written exactly as in its indexes. */
  readonly domain: Sql
  /** The condition that the column `search_text` contains a text. */
  contains(text: string): Sql
  /** The statements that read the first `count` users, in the order of their ids. */
  first(users: SearchedUsers, count: number): Met
  /**
   * The statements that read the users whom the index finds, in no order. The texts of some users
   * may not contain the text.
   *
   * @param rare - The rarest trigrams of the text.
   * @param most - The maximum number of users that the index returns, including users in other
   *   states.
   */
  find(users: SearchedUsers, text: string, rare: readonly string[], most: number): Met
}

/**
 * The users of a tenant whose texts a search reads: the users in a state, with ids after `after`.
 */
export interface SearchedUsers {
  readonly tenantId: string
  readonly after: string
  /** Whether `states` has any condition. */
  readonly isNarrowed: boolean
  /** Conditions on columns of `users`. */
  readonly states: Sql
  /** The name of the index of the users in the state; `undefined` if the state has no index. */
  readonly index: string | undefined
}

/**
 * The statements of a search. They read users with their texts, or only the ids of matching users.
 */
export type Met = {
  /** The statement that becomes the table `met`, whose rows are counted. */
  readonly met: Sql
} & (
  | {
      /** The statement that reads `id` and `search_text` of the users in the state from `met`. */
      readonly texts: Sql
    }
  | {
      /** The statement that reads the ids of the first users in the state whose text matches. */
      readonly found: (limit: number) => Sql
    }
)

/** The interface of an SQL database for the tables. */
export interface Engine {
  /** Reads only committed data. */
  readonly reader: Queries
  /** Reads and writes inside {@link Engine.write}. Use it only there. */
  readonly writer: Queries
  /**
   * Runs `work` atomically and resolves when its writes are durable. Calls run one after another.
   */
  write<T>(work: () => Promise<T>): Promise<T>
  /**
   * Names the tenant of a write, so that other processes reload only the records of this tenant. If
   * no tenant is named, they reload the records of all tenants. Only inside {@link Engine.write}.
   */
  concerns?(tenantId: string): void
  /**
   * Whether a write failed because a unique index already contains the values of its row. The write
   * was rolled back.
   */
  isDuplicate(error: unknown): boolean
  /**
   * The methods that change the lengths of lists, which are stored in `counters`. Only inside
   * {@link Engine.write}.
   */
  readonly counters: {
    /** Creates counters with the value 0. An empty list has a counter, too. */
    create(scopes: readonly string[]): Promise<unknown>
    add(scope: string, by: number): Promise<unknown>
    remove(scopes: readonly string[]): Promise<unknown>
  }
  /**
   * The expression for a column with its ASCII letters in lower case, written exactly as in its
   * index.
   */
  lower(column: string): Sql
  /** The expression for a column that is compared by bytes, written exactly as in its index. */
  byBytes(column: string): Sql
  /**
   * The clause that names the index to use. SQLite needs the clause, because it chooses an index
   * without statistics. Empty for PostgreSQL.
   */
  indexedBy(index: string): Sql
  /** The expression for the last assigned id of the audit log. */
  readonly lastEntry: Sql
  /** The index for searches in the middle of an address or a name. */
  readonly trigrams: Trigrams
  /** Expressions about JSON, which the databases write differently. */
  readonly json: {
    /** The texts in a JSON array, as a subquery for `in`. */
    items(json: string): Sql
    /**
     * The condition that a column has one of the texts in a JSON array. It uses an index even if a
     * statement compares two columns in this way.
     */
    isOneOf(column: string, json: string): Sql
    /** The expression that makes a JSON array of the values of a column. */
    arrayOf(column: string): Sql
  }
}
