import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { templatesAsTypes } from './templates.ts'

const repository = path.resolve(import.meta.dirname, '../../../..')
const source = path.join(repository, 'packages/service/src')

/** The type that has what each template reads, by the folder of the templates. */
const houses = {
  console: `import('${source}/console/pages/index.ts').ConsoleTemplates`,
  pages: `import('${source}/pages/hosted-templates.ts').HostedTemplates`,
}

test('each template reads what its page gives, and gives its parts what they read', async () => {
  // Beside the sources, as their own configuration of the compiler is extended.
  const folder = await mkdtemp(path.join(repository, 'packages/service/node_modules/.templates-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const [house, types] of Object.entries(houses)) {
    await mkdir(path.join(folder, house))
    const files = templatesAsTypes(path.join(source, house, 'templates'), types)
    for (const [name, text] of Object.entries(files)) {
      await writeFile(path.join(folder, house, name), text)
    }
    const misspelt = `export const planted = (it: ${types}['message']) => it.messages`
    await writeFile(path.join(folder, house, 'misspelt.ts'), misspelt)
  }
  const configuration = {
    extends: path.join(repository, 'tsconfig.json'),
    // Functions in templates say nothing about the types of their parameters, nor lists about their length.
    compilerOptions: { noEmit: true, noImplicitAny: false, noUncheckedIndexedAccess: false },
    include: ['*/*.ts'],
    exclude: [],
  }
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify(configuration))
  const tsc = path.join(repository, 'node_modules/.bin/tsc')
  const { stdout } = await promisify(execFile)(tsc, ['--project', '.', '--pretty', 'false'], {
    cwd: folder,
  }).catch((error: { stdout: string }) => error)
  // The sources themselves are checked with stricter options, which change what is inferred in some of them.
  const found = stdout.split('\n').filter((line) => /^\w+\/[\w-]+\.ts\(/.test(line))
  expect(found).toEqual(
    Object.keys(houses).map((house) => expect.stringContaining(`${house}/misspelt.ts`)),
  )
})
