import type { Sql } from './sql.ts'

/** A connection, as statements see it. */
export interface Queries {
  /** The rows that a statement reads or returns. */
  all<R>(statement: Sql<R>): Promise<R[]>
  first<R>(statement: Sql<R>): Promise<R | undefined>
  /** Runs a statement that writes; answers how many rows it has changed. */
  run(statement: Sql): Promise<number>
}

/** An index of the trigrams of the texts in which a search for users looks. */
export interface Trigrams {
  /** Whether it is there: a database may not allow it. */
  isReady(): Promise<boolean>
  /** The domain of the address of a user, in the words of its indexes. */
  readonly domain: Sql
  /** Whether the column `search_text` contains a text. */
  contains(text: string): Sql
  /** The first users, in the order of their ids. */
  first(users: SearchedUsers, count: number): Met
  /**
   * The users whom the index finds, in no order. There may be more than those who contain the text.
   *
   * @param rare - Some trigrams of the text, the rarest ones.
   * @param most - How many the index finds at most, those in other states included.
   */
  find(users: SearchedUsers, text: string, rare: readonly string[], most: number): Met
}

/** The users of a tenant among whom a text is looked for: those behind an id, in a state. */
export interface SearchedUsers {
  readonly tenantId: string
  readonly after: string
  /** Whether {@link SearchedUsers.states} leaves any out. */
  readonly isNarrowed: boolean
  /** Conditions on columns of `users`. */
  readonly states: Sql
  /** The index of those in the state, if there is one. */
  readonly index: string | undefined
}

/** Users whom a search meets, with their texts or with the ids of those who contain the text. */
export type Met = {
  /** A statement whose rows are counted: the table `met`. */
  readonly met: Sql
} & (
  | {
      /** A statement that reads `id` and `search_text` from `met`, of those in the state. */
      readonly texts: Sql
    }
  | {
      /** A statement that reads the ids of those in the state who contain the text, the first ones. */
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
   * Notes a tenant that a rare write concerns, so that other processes read only its records again. Without a note,
   * they read all again. Only inside {@link Engine.write}.
   */
  concerns?(tenantId: string): void
  /** Whether a write failed because a unique index has such a row; the write is undone then. */
  isDuplicate(error: unknown): boolean
  /** The lengths of the lists, read from `counters`. Only inside {@link Engine.write}. */
  readonly counters: {
    /** A list that is empty has a counter, one that does not exist has none. */
    create(scopes: readonly string[]): Promise<unknown>
    add(scope: string, by: number): Promise<unknown>
    remove(scopes: readonly string[]): Promise<unknown>
  }
  /** A column with the letters of ASCII in lower case, in the words of its index. */
  lower(column: string): Sql
  /** A column that is compared by its bytes, in the words of its index. */
  byBytes(column: string): Sql
  /** Names the index of a table to use, for a database that chooses without knowing the rows. */
  indexedBy(index: string): Sql
  /** The last id of the audit log that was given out. */
  readonly lastEntry: Sql
  /** The index that finds users by text in the middle of an address or a name. */
  readonly trigrams: Trigrams
  /** The differences between databases. */
  readonly json: {
    /** The texts of a JSON array, as a subquery for `in`. */
    items(json: string): Sql
    /** Whether a column is one of the items, which an index answers even where another column is compared so, too. */
    isOneOf(column: string, json: string): Sql
    /** A column of a subquery as a JSON array. */
    arrayOf(column: string): Sql
  }
}
