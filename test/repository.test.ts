import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../scripts/packages.ts'

test('every script runs on Node 24, whatever Node the machine has', () => {
  const node = path.join(root, 'node_modules/.bin/node')
  expect(execFileSync(node, ['--version'], { encoding: 'utf8' })).toMatch(/^v24\./)
})

test.for([22, 26])('the kit is tried on Node %i, and not on the Node of the scripts', (major) => {
  const node = path.join(root, `test/node_modules/node${major}/bin/node`)
  expect(execFileSync(node, ['--version'], { encoding: 'utf8' })).toMatch(
    new RegExp(`^v${major}\\.`),
  )
})

test('each job of continuous integration runs an existing part', () => {
  const workflow = readFileSync(path.join(root, '.github/workflows/ci.yml'), 'utf8')
  const lanes = [...(/^ +lane: (\[.*\])$/m.exec(workflow)?.[1] ?? '').matchAll(/"(\w+)[^"]*"/g)]
  const script = readFileSync(path.join(root, '.ci/run'), 'utf8')
  expect(lanes.length).toBeGreaterThan(3)
  for (const [, lane] of lanes) expect(script).toContain(`if runs ${lane}; then`)
})

test('tests set no time limit, as one that is right on an idle machine fails on a busy one', () => {
  const files = execFileSync('git', ['ls-files', '*.test.ts'], { cwd: root, encoding: 'utf8' })
  const limited = files
    .trim()
    .split('\n')
    .filter((file) =>
      /\{ timeout: \d|^\s+timeout: \d|\}, \d+_000\)$/m.test(
        readFileSync(path.join(root, file), 'utf8'),
      ),
    )
  expect(limited).toEqual([])
})

test('the lockfile installs from whichever registry the machine is set up for', () => {
  expect(readFileSync(path.join(root, 'pnpm-lock.yaml'), 'utf8')).not.toMatch(/\btarball: /)
})

test('every file that ARCHITECTURE.md names is there', () => {
  const sources = globSync('packages/*/src/**/*.ts', { cwd: root })
  const isThere = (name: string): boolean => {
    const [room, ...rest] = name.split('/')
    if (rest.length === 0) return sources.some((file) => file.endsWith(`/${name}`))
    const homes = [`packages/${room}/src/${rest.join('/')}`, `packages/service/src/${name}`]
    // Below a heading on one half, its name is left out.
    return homes
      .concat(`packages/core/src/${name}`, `packages/service/src/issuer/${name}`)
      .concat(`packages/service/test/issuer/${name}`, name)
      .some((file) => existsSync(path.join(root, file)))
  }
  const text = readFileSync(path.join(root, 'ARCHITECTURE.md'), 'utf8')
  const named = [...text.matchAll(/`([\w./-]+\.ts)`/g)].map(([, name = '']) => name)
  expect(named.length).toBeGreaterThan(30)
  expect(named.filter((name) => !isThere(name))).toEqual([])
})

test('every file and folder that a decision names is there, unless a later decision has replaced it', () => {
  const folders = '{packages,examples,test,bench,scripts,docs,deploy,.github,.ci}'
  const exclude = ['**/node_modules/**', '**/dist/**']
  const paths = globSync([`${folders}/**/*`, '*'], { cwd: root, exclude })
  // The whole path, or its end; a path from a package leaves out `src`. `lib` is a folder of another package.
  const ends = paths.flatMap((one) => [`/${one}`, `/${one.replace('/src/', '/')}`])
  const isThere = (name: string) =>
    name.startsWith('lib/') || ends.some((end) => end.endsWith(`/${name.replace(/\/$/, '')}`))
  const named = globSync('docs/decisions/*.md', { cwd: root }).flatMap((file) => {
    const text = readFileSync(path.join(root, file), 'utf8')
    if (/^\*\*Superseded by/m.test(text)) return []
    const names = text.matchAll(
      /`((?:[\w.-]+\/)*[\w-][\w.-]*\.(?:ts|js|eta|md|json|sh|ya?ml)|(?:[\w.-]+\/)+)`/g,
    )
    return [...names].map(([, name = '']) => ({ file, name }))
  })
  expect(named.length).toBeGreaterThan(80)
  expect(named.filter(({ name }) => !isThere(name))).toEqual([])
})

test('every entry point that a decision names is exported, or a line names the decision that has changed it', () => {
  const named = globSync('docs/decisions/*.md', { cwd: root }).flatMap((file) => {
    const text = readFileSync(path.join(root, file), 'utf8')
    if (/^(?:\*\*Superseded by|Since \[decision)/m.test(text)) return []
    return [...text.matchAll(/`@latchkey\/([\w-]+)\/([\w/-]+)`/g)].map(
      ([, of = '', entry = '']) => ({ file, of, entry }),
    )
  })
  const isExported = ({ of, entry }: { of: string; entry: string }) => {
    const manifest = readFileSync(path.join(root, 'packages', of, 'package.json'), 'utf8')
    return `./${entry}` in JSON.parse(manifest).exports
  }
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter((one) => !isExported(one))).toEqual([])
})

test('the service is published with one exact version of oidc-provider', () => {
  const catalog = readFileSync(path.join(root, 'pnpm-workspace.yaml'), 'utf8')
  expect(catalog).toMatch(/^ {2}oidc-provider: \d+\.\d+\.\d+$/m)
  const manifest = readFileSync(path.join(root, 'packages/service/package.json'), 'utf8')
  expect(JSON.parse(manifest).dependencies['oidc-provider']).toBe('catalog:')
})
