import { registerHooks } from 'node:module'
import type { AddressInfo } from 'node:net'
import express from 'express'

// An application in a process of its own, whose argument is the issuer. It answers each message with the expensive
// modules that have been loaded: openid-client, Node's own fetch, and parts of Node that an import of `node:dns`,
// `node:net` or `node:fs` loads with all that these export.

const EXPENSIVE = ['undici', 'internal/dns/promises', 'internal/blocklist', 'internal/fs/streams']
let isLoaded = false
/** The names of all modules of Node that this process has loaded. */
const { moduleLoadList } = process as unknown as { moduleLoadList: string[] }
registerHooks({
  resolve(specifier, context, next) {
    isLoaded ||= specifier === 'openid-client'
    return next(specifier, context)
  },
})
const { createAuthRouter } = await import('@latchkey/express')
const app = express()
const server = app.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  app.use(
    createAuthRouter({
      issuer: process.argv[2] ?? '',
      clientId: 'app',
      clientSecret: 'a client secret of the tests',
      baseUrl: `http://127.0.0.1:${port}`,
      session: { secret: 'a session secret of the tests, long enough' },
    }),
  )
  process.on('message', () => {
    const loaded = EXPENSIVE.filter((part) => moduleLoadList.some((name) => name.includes(part)))
    process.send?.([...(isLoaded ? ['openid-client'] : []), ...loaded])
  })
  process.send?.(port)
})
