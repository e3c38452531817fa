import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { lock } from '../src/import/run/lock.ts'

const source = join(import.meta.dirname, '../src/import/run/lock.ts')

/** A process that tries to take the lock once its input has a line, and keeps it until its input ends. */
function contender(path: string) {
  const script = `
    const { lock } = await import(${JSON.stringify(source)})
    process.stdout.write('ready\\n')
    process.stdin.once('data', () => {
      try { lock(${JSON.stringify(path)}); process.stdout.write('taken\\n') }
      catch (error) { process.stdout.write(error.message + '\\n') }
    })`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script])
  const line = async () => String((await once(child.stdout, 'data'))[0]).trim()
  return { child, line, exited: once(child, 'exit') }
}

test('of processes that take over the lock of one that died, exactly one gets it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-lock-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'import.lock')
  // No process has this number: it is larger than any may be.
  for (const held of ['99999999', '99999999 1b4e28ba-2fa1-11d2-883f-0016d3cca427', '']) {
    writeFileSync(path, held)
    const all = Array.from({ length: 6 }, () => contender(path))
    await Promise.all(all.map(({ line }) => line()))
    const answers = all.map(({ line }) => line())
    for (const { child } of all) child.stdin.write('go\n')
    const said = await Promise.all(answers)
    expect(said.filter((text) => text === 'taken')).toHaveLength(1)
    expect(said.filter((text) => text.includes('is running this import'))).toHaveLength(5)
    for (const { child } of all) child.stdin.end()
    for (const { exited } of all) await exited
  }
})

test('a lock that was released leaves nothing behind, and can be taken again', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-lock-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'import.lock')
  const release = lock(path)
  expect(() => lock(path)).toThrow('is running this import')
  expect(readdirSync(folder)).toEqual(['import.lock'])
  release()
  expect(readdirSync(folder)).toEqual([])
  lock(path)()
})

test('a lock of another host or container is kept, and the error says which file to delete', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-lock-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'import.lock')
  const held = `${process.pid} ${randomUUID()} another-container`
  writeFileSync(path, held)
  expect(() => lock(path)).toThrow(
    `Process ${process.pid} on the host another-container may be running this import. If it is not, delete ${path}.`,
  )
  expect(readFileSync(path, 'utf8')).toBe(held)
  expect(readdirSync(folder)).toEqual(['import.lock'])
})

test('the lock of a killed process whose number this process has got is taken over', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-lock-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'import.lock')
  for (const held of [`${process.pid} ${randomUUID()}`, String(process.pid)]) {
    writeFileSync(path, held)
    const release = lock(path)
    expect(() => lock(path)).toThrow('is running this import')
    expect(readdirSync(folder)).toEqual(['import.lock'])
    release()
    expect(readdirSync(folder)).toEqual([])
  }
})
