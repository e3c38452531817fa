import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startIssuer } from './support/issuer.ts'

test('a client that is gone before its answer is no error in the log', async () => {
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<void>()
  await using issuer = await startIssuer({
    wrap: (inner) => ({
      ...inner,
      async find(name) {
        if (name.kind === 'AuthorizationCode') {
          asked.resolve()
          await answer.promise
        }
        return inner.find(name)
      },
    }),
  })
  const { id } = issuer.application
  const credentials = `${id}:${issuer.secretOf(issuer.application)}`
  const body = 'grant_type=authorization_code&code=x&redirect_uri=https%3A%2F%2Fshop.example%2F'
  const socket = connect(issuer.port, '127.0.0.1').on('error', () => {})
  socket.write(
    [
      'POST /oidc/token HTTP/1.1',
      `host: acme.localhost:${issuer.port}`,
      `authorization: Basic ${Buffer.from(credentials).toString('base64')}`,
      'content-type: application/x-www-form-urlencoded',
      `content-length: ${body.length}`,
      '',
      body,
    ].join('\r\n'),
  )
  await asked.promise
  socket.resetAndDestroy()
  // The next request comes in after the reset of the connection.
  await (await issuer.fetch(`${issuer.url}/oidc/jwks`)).text()
  answer.resolve()
  await issuer.idle()
  expect(issuer.problems).toEqual([])
})
