import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createClient } from './support/client.ts'
import { startIssuer } from './support/issuer.ts'

type Metadata = Record<string, unknown>

const grants = (metadata: Metadata) => metadata.grant_types_supported as string[]

/** Each thing that the README says is not offered, with what discovery would show if it were. */
const signs: Readonly<Record<string, (metadata: Metadata) => unknown>> = {
  '`password`': (metadata) => grants(metadata).includes('password'),
  'token exchange': (metadata) =>
    grants(metadata).some((grant) => grant.includes('token-exchange')),
  'the implicit': (metadata) => grants(metadata).includes('implicit'),
  'hybrid flows': ({ response_types_supported: types }) => (types as string[]).join() !== 'code',
  'token introspection': ({ introspection_endpoint: endpoint }) => endpoint,
  'signed requests (`request`)': ({ request_parameter_supported: isSupported }) => isSupported,
  'the parameter `claims`': ({ claims_parameter_supported: isSupported }) => isSupported,
}

test('discovery announces nothing that the README lists as not offered', async () => {
  const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8')
  const [, listed = ''] = /^Not offered: the grants ([\s\S]*?)\. /m.exec(readme) ?? []
  const things = listed.replaceAll('\n', ' ').split(/, and |, | and /)
  expect(things.toSorted()).toEqual(Object.keys(signs).toSorted())
  await using issuer = await startIssuer()
  const { config } = await createClient(issuer)
  const metadata = config.serverMetadata() as unknown as Metadata
  expect(things.filter((thing) => signs[thing]?.(metadata))).toEqual([])
})

test('discovery announces what the README offers beside plain logins', async () => {
  await using issuer = await startIssuer()
  const { config } = await createClient(issuer)
  expect(config.serverMetadata()).toMatchObject({
    pushed_authorization_request_endpoint: expect.stringContaining('/oidc/'),
    dpop_signing_alg_values_supported: expect.arrayContaining(['ES256']),
    revocation_endpoint: expect.stringContaining('/oidc/'),
    backchannel_logout_supported: true,
    grant_types_supported: expect.arrayContaining(['client_credentials']),
  })
})
