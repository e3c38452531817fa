import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const script = join(import.meta.dirname, 'support/load-key-library.ts')

test('the library for passkeys is loaded with the first response of a key, not with the service or its pages', async () => {
  const args = ['--conditions=latchkey-source', script]
  const { stdout } = await promisify(execFile)(process.execPath, args)

  expect(JSON.parse(stdout)).toEqual({
    afterGarbage: false,
    afterThePages: false,
    afterAKey: true,
    isAdded: true,
  })
})
