import { spawn } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../packages/service/test/cli/support.ts'
import { root } from '../scripts/packages.ts'

test('without a network, the first command soon fails and names the address', async () => {
  using folder = temporaryFolder()
  for (const file of ['.npmrc', 'package.json']) {
    copyFileSync(join(root, file), join(folder.path, file))
  }
  const child = spawn('npx', ['pnpm', 'start'], {
    cwd: folder.path,
    env: { PATH: process.env.PATH, HOME: folder.path, npm_config_registry: 'http://127.0.0.1:9/' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const closed = new Promise((resolve) => child.once('close', resolve))
  expect(await text(child.stderr)).toContain('request to http://127.0.0.1:9/pnpm failed')
  expect(await closed).toBe(1)
})

test('the whole suite says at once what it does, for how long, and how to run a part', async () => {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const child = spawn(process.execPath, [vitest, 'run', '--maxWorkers=1'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  const closed = new Promise((resolve) => child.once('close', resolve))
  let output = ''
  const said = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk) => {
      output += chunk
      if (/minutes.*\n/.test(output)) resolve()
    })
  })
  await Promise.race([said, closed])
  process.kill(-(child.pid as number), 'SIGKILL')
  await closed
  expect(output).toMatch(
    /\d{3} files of tests, with real browsers and databases: about 8 minutes on two cores\. A part: npx pnpm test core/,
  )
})
