import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** Has Node find no supertest, as where it is not installed. */
const withoutSupertest = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier !== 'supertest') return next(specifier, context)
      throw Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' })
    },
  })
`)}`

const program = `
  import { logIn, startIdentity } from '@latchkey/testing'
  const identity = await startIdentity()
  const user = await identity.createUser()
  await logIn(() => {}, user).catch((error) => console.log(error.code, error.message))
  await identity.close()
`

test('without supertest logIn() says what to install', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      ...['--conditions=latchkey-source', '--import', withoutSupertest],
      ...['--input-type=module', '--eval', program],
    ],
    { cwd: import.meta.dirname },
  )
  expect(stdout).toMatch(/^LATCHKEY_TEST_PEER_MISSING .*npm install --save-dev supertest\n$/)
})
