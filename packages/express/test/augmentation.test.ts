import { execFile } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { root } from '../../../scripts/packages.ts'

const run = promisify(execFile)

/** The example of the docstring of `User`, as an application would write it. */
function exampleOfUser(): string {
  const source = readFileSync(join(root, 'packages/core/src/guard/user.ts'), 'utf8')
  return /`(declare module [^`]+)`/.exec(source)?.[1] ?? ''
}

const application = `
import { getUser, requireUser } from '@latchkey/express'
import type { Request } from 'express'

${exampleOfUser()}

requireUser()
export const role = (req: Request): string | undefined => req.auth.user?.roles[0]
export const other = (req: Request): string | undefined => getUser(req).roles[0]
// @ts-expect-error A role is a text.
export const wrong = (req: Request): number => getUser(req).roles[0]
`

test('an application that has installed @latchkey/express alone adds its claims as the docstring says', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'latchkey-')))
  // What pnpm makes: the application reaches what it asks for, and not what that depends on.
  for (const name of ['@latchkey/express', 'express', '@types/express']) {
    const installed =
      name === '@latchkey/express'
        ? join(root, 'packages/express')
        : realpathSync(join(root, 'packages/express/node_modules', name))
    mkdirSync(join(folder, 'node_modules', name, '..'), { recursive: true })
    symlinkSync(installed, join(folder, 'node_modules', name))
  }
  const options = {
    typeRoots: [join(root, 'node_modules/@types')],
    declaration: false,
    declarationMap: false,
    isolatedDeclarations: false,
  }
  const files: Record<string, unknown> = {
    'package.json': { type: 'module' },
    'tsconfig.json': {
      extends: join(root, 'tsconfig.base.json'),
      compilerOptions: options,
      files: ['app.ts'],
    },
  }
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), JSON.stringify(content))
  }
  writeFileSync(join(folder, 'app.ts'), application)

  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout } = await run(process.execPath, [compiler, '-p', folder]).catch((error) => error)

  expect(application).toContain('interface User')
  expect(stdout).toBe('')
}, 60_000)
