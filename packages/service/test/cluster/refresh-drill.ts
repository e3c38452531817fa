import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { createFetchTo } from '../issuer/support/loopback.ts'
import type { Serving } from '../store/serving.ts'
import type { Field } from './field.ts'
import { askForTokens, type Tokens, tokensFor } from './load.ts'
import { logInMany } from './notices-drill.ts'

/** What became of logins whose refresh had no answer. */
export interface RefreshFindings {
  logins: number
  /** Logins that the lost answer ended. */
  ended: number
  /** Logins that have two successors of one refresh token. */
  forked: number
}

/**
 * Refreshes logins whose answers are lost on the way, half of them by a process that is killed when it answers, and
 * repeats each refresh at another process.
 *
 * @throws when a used token is good for another scope, or its use for one does not end the login.
 */
export async function drillRefreshes(field: Field, count: number): Promise<RefreshFindings> {
  const users = await logInMany(field, count, {
    scope: 'openid email offline_access',
    prompt: 'consent',
  })
  const begun = await Promise.all(users.map(({ code }) => tokensFor(field, code)))
  const tokens = begun.map((one) => one?.refresh_token ?? '')
  const half = Math.ceil(count / 2)
  await loseAnswers(field, tokens.slice(0, half))
  const [victim] = field.cluster.processes
  await loseAnswers(field, tokens.slice(half), victim)
  if (victim) field.cluster.processes.splice(0, 1, await field.cluster.start())

  const found = { logins: count, ended: 0, forked: 0 }
  for (const token of tokens) {
    const [first, second] = [await refresh(field, token), await refresh(field, token)]
    if (!first) found.ended++
    else if (first.refresh_token !== second?.refresh_token) found.forked++
    else if (!(await refresh(field, first.refresh_token))) found.ended++
  }
  await replay(field, count)
  return found
}

/** A used token that is sent for another scope ends the login, as a stolen one does. */
async function replay(field: Field, count: number): Promise<void> {
  const [user] = await logInMany(field, 1, {
    scope: 'openid email offline_access',
    prompt: 'consent',
  })
  const used = (await tokensFor(field, user?.code ?? ''))?.refresh_token
  const next = await refresh(field, used)
  if (await refresh(field, used, { scope: 'openid' })) throw new Error('A replay got tokens.')
  if (await refresh(field, next?.refresh_token)) {
    throw new Error(`A login goes on after a replay, ${count} others were tried.`)
  }
}

function refresh(
  field: Field,
  token = '',
  more: Record<string, string> = {},
): Promise<Tokens | undefined> {
  return askForTokens(field, { grant_type: 'refresh_token', refresh_token: token, ...more })
}

/** Sends refreshes to one process by a way on which every answer is lost; a victim dies with the first of them. */
async function loseAnswers(
  field: Field,
  tokens: readonly string[],
  victim?: Serving,
): Promise<void> {
  const to = victim ?? field.cluster.processes.at(-1)
  if (!to || tokens.length === 0) return
  let answers = 0
  const server = createServer((socket) => {
    const upstream = connect(to.port, '127.0.0.1')
    socket.on('data', (data) => void upstream.write(data)).on('error', () => {})
    upstream.on('error', () => {}).on('close', () => socket.destroy())
    upstream.once('data', () => {
      answers++
      if (answers === tokens.length) void victim?.kill()
      upstream.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const { fetch, close } = createFetchTo(`http://127.0.0.1:${port}`)
  for (const token of tokens) {
    const answer = await refresh({ ...field, fetch }, token).catch(() => 'lost')
    if (answer !== 'lost') throw new Error('An answer was not lost.')
  }
  if (answers !== tokens.length) throw new Error(`${answers} of ${tokens.length} were answered.`)
  await close()
  server.close()
}
