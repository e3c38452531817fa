import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../scripts/packages.ts'

test('every script runs on Node 24, whatever Node the machine has', () => {
  const node = path.join(root, 'node_modules/.bin/node')
  expect(execFileSync(node, ['--version'], { encoding: 'utf8' })).toMatch(/^v24\./)
})

test('the lockfile installs from whichever registry the machine is set up for', () => {
  expect(readFileSync(path.join(root, 'pnpm-lock.yaml'), 'utf8')).not.toMatch(/\btarball: /)
})
