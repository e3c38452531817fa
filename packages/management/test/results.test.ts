import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openCsv } from '../src/import/run/results.ts'

test('results for a reader that goes away end with an error', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-results-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const fifo = join(folder, 'fifo')
  execFileSync('mkfifo', [fifo])
  const reader = spawn('head', ['-c', '1', fifo])
  onTestFinished(() => void reader.kill())
  const results = openCsv(fifo, ['id'])
  const row = ['x'.repeat(1_000)]
  async function write(): Promise<void> {
    for (let n = 0; n < 10_000; n++) await results.write(row)
    await results.close()
  }
  await expect(write()).rejects.toMatchObject({ code: 'EPIPE' })
})
