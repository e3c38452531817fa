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

const INSTALLED = ['@latchkey/express', 'express', '@types/express', 'express-oauth2-jwt-bearer']

const withBearer = `
import { getAuth, getUser, requireUser } from '@latchkey/express'
import type { Request } from 'express'
import { auth } from 'express-oauth2-jwt-bearer'

auth()
requireUser({ check: (user, req) => user.sub === req.params.id })
export const theirs = (req: Request): string | undefined => req.auth?.token
export const ours = (req: Request): string => getUser(req).sub
export const out = (req: Request): boolean => getAuth(req).isAuthenticated
`

test.each([
  ['that has installed @latchkey/express alone adds its claims as the docstring says', application],
  ['where another package owns req.auth reads the user by getUser()', withBearer],
])(
  'an application %s',
  async (_what, program) => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'latchkey-')))
    // What pnpm makes: the application reaches what it asks for, and not what that depends on.
    for (const name of INSTALLED) {
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
    writeFileSync(join(folder, 'app.ts'), program)

    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    const { stdout } = await run(process.execPath, [compiler, '-p', folder]).catch((error) => error)

    expect(exampleOfUser()).toContain('interface User')
    // What two packages declare of `req.auth` is compared in declaration files, which `skipLibCheck` leaves
    // out; only here is one of them a source.
    const faults = stdout.split('\n').filter((line: string) => line.includes('app.ts'))
    expect(faults).toEqual([])
  },
  60_000,
)
