import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { main, run, temporaryFolder } from './support.ts'

test('a command whose output pipe is closed before it prints ends without an error', async () => {
  const child = spawn(process.execPath, ['--conditions=latchkey-source', main, '--help'])
  child.stdout.destroy()
  const closed = new Promise((resolve) => child.once('close', resolve))
  expect([await text(child.stderr), await closed]).toEqual(['', 0])
})

test('a file in the place of the data folder, and a folder that cannot be written, get a sentence', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'README.md')
  writeFileSync(file, '')
  for (const command of [
    ['tenant', 'create', '--domain', 'a.example'],
    ['serve', '--port', '0'],
  ]) {
    for (const [path, sentence] of [
      [file, `${file} is a file; name a folder, or one that does not exist yet.`],
      [join(file, 'data'), `${join(file, 'data')}: a part of this path is a file and no folder.`],
    ] as const) {
      const { code, stderr } = await run([...command, '--data', path])
      expect([code, stderr]).toEqual([1, `${sentence}\n`])
    }
  }
  const { code, stderr } = await run([
    'tenant',
    'create',
    '--domain',
    'a.example',
    '--data',
    '/sys/x',
  ])
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^\/sys\/x cannot be written by this user \(E\w+\)\. Change/),
  ])
})

test('a data folder that this user may not write is named with the user and the remedy', async () => {
  // No user can make a file there.
  const { code, stderr } = await run(['serve', '--port', '0', '--data', '/proc/sys'])

  const [uid, gid] = [process.getuid?.(), process.getgid?.()]
  expect(code).not.toBe(0)
  expect(stderr).toContain(`/proc/sys cannot be written by this user (uid ${uid}, gid ${gid})`)
  expect(stderr).toContain(`chown -R ${uid}:${gid} /proc/sys`)
})
