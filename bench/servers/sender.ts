import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { serveCommands } from '../parts/child.ts'

/** Sends signed requests as webhooks are sent, and does nothing else: what an event costs at least. */
const dispatcher = new Agent()
const body = JSON.stringify({
  type: 'user.updated',
  timestamp: '2026-01-31T09:30:00.000Z',
  data: {
    id: `usr_${'0'.repeat(26)}`,
    tenant_id: `ten_${'0'.repeat(26)}`,
    fields: ['profile.name'],
  },
})

async function post(url: string, id: string): Promise<void> {
  const signature = createHmac('sha256', 'a key')
    .update(`${id}.1769851800.${body}`)
    .digest('base64')
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': '1769851800',
    'webhook-signature': `v1,${signature}`,
  }
  const answer = await request(url, { method: 'POST', headers, body, dispatcher })
  await answer.body.dump()
}

serveCommands(
  0,
  {
    async send({ url, count, perSecond }: { url: string; count: number; perSecond: number }) {
      const begun = performance.now()
      const sent: Promise<void>[] = []
      for (let n = 0; n < count; n++) {
        const early = begun + (n * 1_000) / perSecond - performance.now()
        if (early > 0) await sleep(early)
        sent.push(post(url, `msg_${n}`))
      }
      await Promise.all(sent)
    },
  },
  () => dispatcher.close(),
)
