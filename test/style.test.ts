import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { root } from '../scripts/packages.ts'
import { decisionFault, faultsOf } from '../scripts/style.ts'

test.for([
  ['a docstring that begins with "What"', '/** What a login may ask for. */'],
  [
    'a parameter that is explained by "what"',
    '/**\n * Begins a login.\n *\n * @param value - What came in.\n */',
  ],
  ['"sign in"', "throw new Error('The user is not signed in.')"],
  ['a riddle in a template', 'const text = `whoever holds ` + key'],
  ['"what is" as a noun', '// Adds to what is there.'],
  ['a docstring that is a fragment', '/** Below which name a domain says its tenant. */'],
  ['a docstring that begins with "Whose"', '/** Whose session it is. */'],
])('pnpm check refuses %s in a source', ([, source = '']) => {
  expect(faultsOf('a.ts', source)).toHaveLength(1)
})

test.for([
  ['a double space', 'One space  too many.'],
  ['"nobody"', 'The cookie is for nobody.'],
  ['"anew"', 'A login\nbegins anew.'],
  ['a riddle about health', '`health()` tells how it stands with the provider.'],
  ['a token that "ended"', 'It is refreshed once the access token has ended.'],
  [
    'a tenant whose sessions are "worth nothing"',
    'A session of one tenant is worth nothing at another.',
  ],
  ['a sentence with "what" as its subject', 'It is stored. What is deleted is overwritten.'],
])('pnpm check refuses %s in a document', ([, source = '']) => {
  expect(faultsOf('a.md', source)).toHaveLength(1)
})

test('pnpm check refuses a decision of more than forty lines', () => {
  const lines = (count: number) => 'A line.\n'.repeat(count)
  expect(decisionFault('docs/decisions/0001-a.md', lines(40))).toEqual([])
  expect(decisionFault('docs/guides/a.md', lines(41))).toEqual([])
  const [fault] = decisionFault('docs/decisions/0001-a.md', lines(41))
  expect(fault).toBe('1: 41 lines: a decision has 40 at most')
})

test('pnpm check leaves code, questions and plain sentences alone', () => {
  const document = [
    'What is a tenant? An isolated set of users.',
    '`signIn()` of another library becomes `logIn()`.',
    '```js\nsignIn()  // whoever\n```',
    '| Option   | Default |\n| -------- | ------- |\n| `secret` | none    |',
  ]
  expect(faultsOf('a.md', document.join('\n\n'))).toEqual([])
  expect(faultsOf('a.ts', '/** Whether the user is logged in. */')).toEqual([])
})

test('pnpm check refuses a word that no dictionary has', async () => {
  const cspell = path.join(root, 'node_modules/.bin/cspell')
  const check = promisify(execFile)(
    cspell,
    ['lint', '--no-progress', '--no-exit-code', 'stdin://a.md'],
    {
      cwd: root,
    },
  )
  check.child.stdin?.end('The tenant of Keycloak is exmple.')
  const { stdout } = await check
  expect(stdout.match(/Unknown word \((\w+)\)/g)).toEqual(['Unknown word (exmple)'])
})
