import type { Sql } from './sql.ts'

/** A connection, as statements see it. */
export interface Queries {
  /** The rows that a statement reads or returns. */
  all<R>(statement: Sql<R>): Promise<R[]>
  first<R>(statement: Sql<R>): Promise<R | undefined>
  /** Runs a statement that writes. Resolves to the number of changed rows. */
  run(statement: Sql): Promise<number>
}

/** An index of the trigrams of the texts in which a search for users looks. */
export interface Trigrams {
  /** Whether the index exists. A database may not allow it. */
  isReady(): Promise<boolean>
  /** The expression for the domain of a user's address, written as in its indexes. */
  readonly domain: Sql
  /** Whether the column `search_text` contains a text. */
  contains(text: string): Sql
  /** The first `count` users, in the order of their ids. */
  first(users: SearchedUsers, count: number): Met
  /**
   * The users whom the index finds, in no order. There may be more than those who contain the text.
   *
   * @param rare - Some trigrams of the text, the rarest ones.
   * @param most - The number of users that the index returns at most, including those in other states.
   */
  find(users: SearchedUsers, text: string, rare: readonly string[], most: number): Met
}

/** The users of a tenant in which a search looks for a text: those in a state, after an id. */
export interface SearchedUsers {
  readonly tenantId: string
  readonly after: string
  /** Whether {@link SearchedUsers.states} excludes users. */
  readonly isNarrowed: boolean
  /** Conditions on columns of `users`. */
  readonly states: Sql
  /** The index of those in the state, if there is one. */
  readonly index: string | undefined
}

/** The users that a search reads, with their texts or with the ids of those whose text matches. */
export type Met = {
  /** A statement whose rows are counted: the table `met`. */
  readonly met: Sql
} & (
  | {
      /** A statement that reads `id` and `search_text` from `met`, for users in the state. */
      readonly texts: Sql
    }
  | {
      /** A statement that reads the ids of the first users in the state whose text matches. */
      readonly found: (limit: number) => Sql
    }
)

/** An SQL database, as far as the tables need to know it. */
export interface Engine {
  /** Sees only committed data. */
  readonly reader: Queries
  /** Only inside {@link Engine.write}. */
  readonly writer: Queries
  /** Runs `work` atomically and resolves when it is durable. No two run at the same time. */
  write<T>(work: () => Promise<T>): Promise<T>
  /**
   * Names the tenant of a rare write, so that other processes reload only its records. Without it, they
   * reload all. Only inside {@link Engine.write}.
   */
  concerns?(tenantId: string): void
  /** Whether a write failed because a unique index already has such a row. The write was undone. */
  isDuplicate(error: unknown): boolean
  /** The lengths of the lists, read from `counters`. Only inside {@link Engine.write}. */
  readonly counters: {
    /** Creates the counters of lists. An empty list has a counter; a list that does not exist has none. */
    create(scopes: readonly string[]): Promise<unknown>
    add(scope: string, by: number): Promise<unknown>
    remove(scopes: readonly string[]): Promise<unknown>
  }
  /** The expression for a column with ASCII letters in lower case, written as in its index. */
  lower(column: string): Sql
  /** The expression for a column that is compared by bytes, written as in its index. */
  byBytes(column: string): Sql
  /** Names the index to use, for SQLite, which chooses one without statistics about the rows. */
  indexedBy(index: string): Sql
  /** The last id of the audit log that was given out. */
  readonly lastEntry: Sql
  /** The index that finds users by text in the middle of an address or a name. */
  readonly trigrams: Trigrams
  /** The differences between databases. */
  readonly json: {
    /** The texts of a JSON array, as a subquery for `in`. */
    items(json: string): Sql
    /** Whether a column is one of the items. An index is used even if another column is compared in this way, too. */
    isOneOf(column: string, json: string): Sql
    /** A column of a subquery as a JSON array. */
    arrayOf(column: string): Sql
  }
}
