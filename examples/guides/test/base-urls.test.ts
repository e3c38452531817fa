import { request } from 'node:http'
import { afterEach, expect, test, vi } from 'vitest'
import { createApp } from '../src/base-urls.ts'
import { start } from './support.ts'

afterEach(() => vi.unstubAllEnvs())

/** Where the account page sends a visitor of a host. */
function locationAt(url: string, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asking = request(`${url}/account`, { headers: { host, accept: 'text/html' } }, (answer) =>
      resolve(answer.resume().headers.location ?? String(answer.statusCode)),
    )
    asking.on('error', reject).end()
  })
}

test('visitors of each address return to that address after the login, also at a preview deployment', async () => {
  vi.stubEnv('PREVIEW_URL', 'https://pr-7.preview.example.com')
  const site = await start(createApp)
  for (const host of ['app.example.com', 'app.example.org', 'pr-7.preview.example.com']) {
    const location = new URL(await locationAt(site.url, host))
    expect(location.searchParams.get('redirect_uri')).toBe(`https://${host}/callback`)
  }
  expect(await locationAt(site.url, 'pr-8.preview.example.com')).toBe('421')
  await site.close()
})
