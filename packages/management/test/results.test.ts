import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { openCsv } from '../src/import/run/results.ts'

/** A FIFO that a program reads. */
function readBy(program: string, ...args: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-results-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const fifo = join(folder, 'fifo')
  execFileSync('mkfifo', [fifo])
  const reader = spawn(program, [...args, fifo])
  onTestFinished(() => void reader.kill())
  return { fifo, reader }
}

const row = ['x'.repeat(1_000)]

test('results for a reader that goes away end with an error', async () => {
  const { fifo } = readBy('head', '-c', '1')
  const results = openCsv(fifo, ['id'])
  async function write(): Promise<void> {
    for (let n = 0; n < 10_000; n++) await results.write(row)
    await results.close()
  }
  await expect(write()).rejects.toMatchObject({ code: 'EPIPE', path: fifo })
  await expect(results.write(row)).rejects.toMatchObject({ code: 'EPIPE', path: fifo })
})

test('rows that wait for a slow reader share one listener, and all of them arrive', async () => {
  const warnings: string[] = []
  const onWarning = ({ message }: Error): number => warnings.push(message)
  process.on('warning', onWarning)
  onTestFinished(() => void process.off('warning', onWarning))
  const { fifo, reader } = readBy('cat')
  const results = openCsv(fifo, ['id'])
  // The reader's own output has no reader yet, so no more than some pipes full can be written.
  let isWritten = false
  const rows = Array.from({ length: 1_000 }, () => results.write(row))
  const all = Promise.all(rows).then(() => {
    isWritten = true
  })
  await rows[0]
  expect(isWritten).toBe(false)
  const read = text(reader.stdout)
  await all
  await results.close()
  expect((await read).split('\n')).toEqual(['id', ...rows.map(() => row[0]), ''])
  expect(warnings).toEqual([])
})
