import type { Sql } from './sql.ts'

/** A connection, as used for statements. */
export interface Queries {
  /** Returns the rows that a statement reads or returns. */
  all<R>(statement: Sql<R>): Promise<R[]>
  first<R>(statement: Sql<R>): Promise<R | undefined>
  /** Runs a statement that writes. Resolves to the number of changed rows. */
  run(statement: Sql): Promise<number>
}

/** An index of trigrams, for searches in texts of users. */
export interface Trigrams {
  /** Whether the index exists. Some databases do not allow it. */
  isReady(): Promise<boolean>
  /** The expression for the domain of a user's address, exactly as in its indexes. */
  readonly domain: Sql
  /** The condition that the column `search_text` contains a text. */
  contains(text: string): Sql
  /** The first `count` users, in the order of their ids. */
  first(users: SearchedUsers, count: number): Met
  /**
   * The users whom the index finds, in no order. Some of them may not contain the text.
   *
   * @param rare - The rarest trigrams of the text.
   * @param most - How many users the index returns at most, including those in other states.
   */
  find(users: SearchedUsers, text: string, rare: readonly string[], most: number): Met
}

/**
 * The users of a tenant in whom a search looks for a text: those in a state, with ids after a given
 * one.
 */
export interface SearchedUsers {
  readonly tenantId: string
  readonly after: string
  /** Whether `states` has any condition. */
  readonly isNarrowed: boolean
  /** Conditions on columns of `users`. */
  readonly states: Sql
  /** The index of the users in the state, if there is one. */
  readonly index: string | undefined
}

/** The statements of a search, which read users with their texts or only matching ids. */
export type Met = {
  /** A statement with a table `met`, whose rows are counted. */
  readonly met: Sql
} & (
  | {
      /** A statement that reads `id` and `search_text` of the users in the state from `met`. */
      readonly texts: Sql
    }
  | {
      /** A statement that reads the ids of the first users in the state whose text matches. */
      readonly found: (limit: number) => Sql
    }
)

/** An SQL database, as the tables use it. */
export interface Engine {
  /** Sees only committed data. */
  readonly reader: Queries
  /** Use it only inside {@link Engine.write}. */
  readonly writer: Queries
  /** Runs `work` atomically and resolves when it is durable. No two run at the same time. */
  write<T>(work: () => Promise<T>): Promise<T>
  /**
   * Names the tenant of a rare write, so that other processes reload only its records. If no tenant is named, they
   * reload all. Only inside {@link Engine.write}.
   */
  concerns?(tenantId: string): void
  /**
   * Whether a write failed because a unique index already has such a row. The write was rolled
   * back.
   */
  isDuplicate(error: unknown): boolean
  /** The lengths of lists, stored in `counters`. Only inside {@link Engine.write}. */
  readonly counters: {
    /** Creates the counters of lists. Every list has a counter, also an empty one. */
    create(scopes: readonly string[]): Promise<unknown>
    add(scope: string, by: number): Promise<unknown>
    remove(scopes: readonly string[]): Promise<unknown>
  }
  /** The expression for a column with its ASCII letters in lower case, exactly as in its index. */
  lower(column: string): Sql
  /** The expression for a column that is compared by bytes, exactly as in its index. */
  byBytes(column: string): Sql
  /** Names the index to use. SQLite needs it, because it chooses without statistics. */
  indexedBy(index: string): Sql
  /** The last assigned id of the audit log. */
  readonly lastEntry: Sql
  /** The index for searches in the middle of an address or a name. */
  readonly trigrams: Trigrams
  /** Expressions about JSON, which the databases write differently. */
  readonly json: {
    /** The texts in a JSON array, as a subquery for `in`. */
    items(json: string): Sql
    /**
     * The condition that a column is one of the items. It uses an index even if another column is compared in the same
     * way.
     */
    isOneOf(column: string, json: string): Sql
    /** A JSON array of a column of a subquery. */
    arrayOf(column: string): Sql
  }
}
