import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { FORMER_NAMES } from '../packages/core/src/options/former-names.ts'
import { middlewareAdapters } from '../scripts/packages.ts'
import { membersOf } from '../scripts/router-options.ts'

/** Writes the page of the router's options: each docstring, with its example that a test runs. */
const root = path.resolve(import.meta.dirname, '..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')

const source = read('examples/guides/src/options.ts')

/** The example of an option, out of the table of examples. */
function exampleOf(name: string): string {
  const key = name.includes('.') ? `'${name}'` : name
  const pattern = new RegExp(
    `^ {2}${key.replace('.', '\\.')}: (\\{[^\\n]*\\}|\\{\\n[\\s\\S]*?\\n {2}\\}),$`,
    'm',
  )
  const found = pattern.exec(source)?.[1]
  if (!found) throw new Error(`There is no example of the option ${name}.`)
  return `createAuthRouter(${found.replace(/^ {2}/gm, '')})`
}

const sections = membersOf(read('packages/core/src/options/options.ts')).map(
  ({ name, text }) => `## ${name}\n\n${text}\n\n\`\`\`ts\n${exampleOf(name)}\n\`\`\`\n`,
)
/** The names that other libraries have, by library: a reader who comes from one finds ours. */
const formerNames = Object.entries(FORMER_NAMES).map(([library, names]) => {
  const rows = Object.entries(names).map(([name, here]) => {
    const isName = !here.includes(' ')
    return `| \`${name}\` | ${isName ? `\`${here}\`` : here.replaceAll('|', '\\|')} |`
  })
  return `### ${library}\n\n| Name there | Here |\n| --- | --- |\n${rows.join('\n')}\n`
})

const others = middlewareAdapters()
  .filter(({ name }) => name !== 'express')
  .map(({ title }) => title)
  .join(', ')

const folder = path.join(import.meta.dirname, 'reference')
mkdirSync(folder, { recursive: true })
writeFileSync(
  path.join(folder, 'options.md'),
  `---
outline: [2, 3]
---

# Options

The options of \`createAuthRouter()\` for Express, and of \`createAuth()\` for ${others} and other frameworks. Most
applications set none of them: the five [environment variables](../environment.md) are enough. An unknown option is
refused, with the nearest right name. Do you come from another library? [Its options](#names-in-other-libraries) are below.

An example sets only the option that it shows. The others come from the environment.

${sections.join('\n')}
## Names in other libraries

The start of an application says the same of each of these names. The guides say more:
[express-openid-connect](../guides/from-express-openid-connect.md), [Passport](../guides/from-passport-openidconnect.md) and
[Auth.js](../guides/from-auth-js.md).

${formerNames.join('\n')}`,
)
