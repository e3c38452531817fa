import pg from 'pg'
import { StoreError } from '../errors.ts'
import type { Sql } from '../sql/sql.ts'
import { isConnectionLost, isStalePlan, storeFailure } from './failure.ts'
import type { Ask, Rows } from './statements.ts'

/** A connection that is open or is being opened. */
type Reader = Promise<pg.Client>

/** The connections that reads share, and a connection for the heartbeat. */
export interface Readers {
  /**
   * Runs a read. Repeats the read once if its connection was lost, or if its prepared statement is
   * out of date.
   */
  read<R>(statement: Sql<R>): Promise<Rows<R>>
  /** Returns the connection for the heartbeat, and opens this connection if it is not open. */
  beating(): Reader
  /**
   * Replaces all connections, and repeats the reads in progress. The first attempt of a read keeps
   * its old connection, which may still work.
   */
  replace(): void
  close(): Promise<void>
}

/**
 * The number of connections for reads. A few are enough, because reads are pipelined: a connection
 * serves any number of reads at a time.
 */
const READERS = 4

/** Makes the connections, without opening one yet. */
export function createReaders(settings: pg.ClientConfig, ask: Ask): Readers {
  let readers: Slots = []
  /**
   * A separate connection for the heartbeat. On a shared connection, a slow read would delay its
   * response.
   */
  let beating: Slots = []
  /** The reads in progress, each as a function that repeats the read. */
  const waiting = new Set<() => void>()
  let turn = 0
  let isClosed = false

  function reader(): Reader {
    turn = (turn + 1) % READERS
    const kept = readers[turn] ?? openReader(settings, readers, turn)
    readers[turn] = kept
    return kept
  }

  /**
   * Runs a read, and a second time if the connections are replaced meanwhile. Resolves to the first
   * result. Rejects if the first read fails before there is a result.
   */
  function eitherOf<R>(read: () => Promise<Rows<R>>): Promise<Rows<R>> {
    return new Promise((resolve, reject) => {
      const askAgain = () => {
        waiting.delete(askAgain)
        // If the second read fails, the first read still resolves, or fails at its time limit.
        read().then(resolve, () => {})
      }
      waiting.add(askAgain)
      read()
        .then(resolve, reject)
        .finally(() => waiting.delete(askAgain))
    })
  }

  async function readOnce<R>(statement: Sql<R>): Promise<Rows<R>> {
    if (isClosed) throw new StoreError('The store is closed.')
    const from = readers
    try {
      return await eitherOf(async () => ask(await reader(), statement))
    } catch (error) {
      // The other connections are probably also lost, even if they have no error yet.
      if (isConnectionLost(error) && readers === from) {
        readers = []
        void endAll(from)
      }
      throw error
    }
  }

  return {
    async read(statement) {
      try {
        try {
          return await readOnce(statement)
        } catch (error) {
          if (isClosed || !(isConnectionLost(error) || isStalePlan(error))) throw error
          // The connection may have been lost long ago, and a read can safely be repeated.
          return await readOnce(statement)
        }
      } catch (error) {
        throw storeFailure(error)
      }
    },
    beating() {
      beating[0] ??= openReader(settings, beating, 0)
      return beating[0]
    },
    replace() {
      const before = [endAll(readers), endAll(beating)]
      readers = []
      beating = []
      void Promise.allSettled(before)
      for (const askAgain of waiting) askAgain()
    },
    async close() {
      isClosed = true
      await Promise.all([endAll(readers), endAll(beating)])
    },
  }
}

/** Connections by their index. `undefined`: the connection was not opened, or was lost. */
type Slots = (Reader | undefined)[]

async function openReader(settings: pg.ClientConfig, of: Slots, slot: number): Reader {
  const client = new pg.Client({ ...settings, pipeline: true })
  const forget = () => {
    of[slot] = undefined
  }
  client.on('error', forget).on('end', forget)
  try {
    await client.connect()
    return client
  } catch (error) {
    forget()
    throw error
  }
}

/** Closes connections when their statements in progress have ended. */
async function endAll(readers: Readonly<Slots>): Promise<void> {
  const end = async (reader: Reader | undefined) => (await reader)?.end()
  await Promise.allSettled(readers.map(end))
}
