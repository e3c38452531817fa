import { afterAll } from 'vitest'
import { startRedis } from '../../../session-store/test/support/redis.ts'
import { clusterKey } from './cluster.ts'
import { createDatabase } from './postgres.ts'

/** The options of a service that keeps its data in PostgreSQL and Redis. */
export interface SharedData {
  database: string
  redis: string
  masterKey: string
}

/**
 * PostgreSQL and Redis for the services of a test file, which start one after the other. They are made with the first one,
 * and emptied before each.
 */
export function useSharedData(): () => Promise<SharedData> {
  const make = () => Promise.all([createDatabase(), startRedis()])
  let made: ReturnType<typeof make> | undefined
  afterAll(async () => {
    const [database, redis] = (await made) ?? []
    await redis?.[Symbol.asyncDispose]()
    await database?.drop()
  })
  return async () => {
    made ??= make()
    const [database, redis] = await made
    await database.empty()
    return { database: database.url, redis: redis.url, masterKey: clusterKey.toString('base64') }
  }
}
