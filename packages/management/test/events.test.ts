import type { Fetch } from '@latchkey/management'
import { expect, test } from 'vitest'
import { startManaged } from './support/servers.ts'

test.each([
  { timeoutSeconds: 30, wait: '15', quietPolls: 0 },
  { timeoutSeconds: 10, wait: '5', quietPolls: 0 },
  { timeoutSeconds: 3, wait: '1', quietPolls: 1 },
  { timeoutSeconds: 1.9, wait: null, quietPolls: 1 },
])(
  'events of a quiet tenant are followed, each response within a timeout of $timeoutSeconds s',
  async ({ timeoutSeconds, wait, quietPolls }) => {
    await using server = await startManaged('over a socket')
    const waits: (string | null)[] = []
    const fetch: Fetch = async (url, init) => {
      waits.push(new URL(url).searchParams.get('wait'))
      if (waits.length > quietPolls) {
        await server.client.users(server.tenantId).create({ profile: { email: 'ada@x.example' } })
      }
      return globalThis.fetch(url, init)
    }
    const client = server.connect({ fetch, retries: 0, timeoutSeconds })
    const events = client.events(server.tenantId)
    for await (const event of events.follow({ types: ['user.created'] })) {
      expect(event.type).toBe('user.created')
      break
    }
    expect(waits).toEqual(Array.from({ length: quietPolls + 1 }, () => wait))
  },
)
