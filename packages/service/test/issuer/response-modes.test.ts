import { expect, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { createClient } from './support/client.ts'
import { startIssuer, storeKinds } from './support/issuer.ts'

test.each(storeKinds)(
  'response_mode=fragment is refused in the query, and discovery does not name it, on %s',
  async (store) => {
    await using issuer = await startIssuer({ store })
    const app = await createClient(issuer)
    const { url } = await app.begin({ response_mode: 'fragment' })
    const answer = new URL((await createBrowser(issuer).get(url)).location ?? '')
    expect(answer.hash).toBe('')
    expect(answer.searchParams.get('error')).toBe('unsupported_response_mode')
    expect(app.config.serverMetadata().response_modes_supported).toEqual(['form_post', 'query'])
  },
)
