import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type MisbehavingProvider,
  startMisbehavingProvider,
} from '@latchkey/testing/misbehaving-provider'
import type { Express } from 'express'

/** An application of the guides, and a provider that signs everybody in as `provider.user`. */
export interface Running {
  url: string
  provider: MisbehavingProvider
  close(): Promise<void>
}

/** Starts the application that `make` creates for the address and the provider. */
export async function start(
  make: (connection: {
    issuer: string
    clientId: string
    clientSecret: string
    baseUrl: string
    session: { secret: string }
    logger: false
  }) => Express | Promise<Express>,
): Promise<Running> {
  const provider = await startMisbehavingProvider()
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { issuer, clientId, clientSecret } = provider
  const session = { secret: 'a secret of the guides with 32 characters' }
  server.on(
    'request',
    await make({ issuer, clientId, clientSecret, baseUrl: url, session, logger: false }),
  )
  return {
    url,
    provider,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await provider.close()
    },
  }
}
