import diagnostics from 'node:diagnostics_channel'
import type { AuthEventName } from '@latchkey/core'
import { afterAll, expect } from 'vitest'
import { findLeaks, forgetAll, overhear } from './leaks.ts'

/** Every event of the kit; the type sees to it that none is forgotten. */
const EVENTS: Record<AuthEventName, true> = {
  'login.started': true,
  'login.succeeded': true,
  'login.failed': true,
  'login.restarted': true,
  'session.created': true,
  'session.adopted': true,
  'login.new_device': true,
  'session.revoked': true,
  'token.refreshed': true,
  'token.refresh_failed': true,
  'token.refresh_waited': true,
  'user.refresh_failed': true,
  'access.refused': true,
  'access.rehearsed': true,
  'logout.local': true,
  'logout.federated': true,
  'logout.backchannel': true,
  'discovery.refreshed': true,
  'discovery.stale': true,
  'discovery.failed': true,
}

let isWatching = false

/**
 * Keeps everything that a file makes the kit write, publish, throw or answer, at trace level, and searches it in the end for
 * every secret that was used.
 */
export function watchForLeaks(): void {
  forgetAll()
  afterAll(() => {
    expect(findLeaks()).toEqual([])
  })
  // Set for each file, as only some load the module `debug`, which reads it once. Left out are those that
  // write addresses, cookies or records of their own accord, and the provider and the browser of the tests.
  process.env.DEBUG_COLORS = 'no'
  process.env.DEBUG =
    '*,-router*,-express:*,-express-session,-memorystore,-oidc-provider*,-koa*,-superagent*,-pw:*'
  if (isWatching) return
  isWatching = true
  watchOutput()
  for (const name of Object.keys(EVENTS)) {
    diagnostics.subscribe(`latchkey:${name}`, (event) => overhear(`event ${name}`, event))
  }
  process.on('warning', (warning) => overhear('warning', warning))
}

/** Keeps what goes to the terminal; lines of `debug` go no further. */
function watchOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (...args: unknown[]) => boolean
    stream.write = ((...args: unknown[]) => {
      overhear('output', args[0])
      if (isTrace(String(args[0]))) return true
      return write(...args)
    }) as typeof stream.write
  }
  for (const name of ['debug', 'log', 'info', 'warn', 'error'] as const) {
    const log = console[name].bind(console)
    console[name] = (...args: unknown[]) => {
      overhear('console', args)
      log(...args)
    }
  }
}

function isTrace(line: string): boolean {
  return /^(\d{4}-\d\d-\d\dT[\d:.]+Z|\w{3}, \d\d \w{3} \d{4} [\d:]+ GMT) \S/.test(line)
}
