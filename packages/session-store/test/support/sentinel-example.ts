import { createSessionStore } from '@latchkey/session-store'
import { Redis } from 'ioredis'

const sentinels = (process.env.REDIS_SENTINELS ?? 'localhost:26379').split(',').map((address) => {
  const [host = '', port] = address.split(':')
  return { host, port: Number(port) }
})
export const client = new Redis({
  sentinels,
  name: 'sessions',
  maxRetriesPerRequest: 1,
  socketTimeout: 5000,
  sentinelCommandTimeout: 1000,
})
client.on('error', (error) => process.emitWarning(error))

export const store = createSessionStore({ client })
