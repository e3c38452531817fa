import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { auditSentences, sentenceOfEntry } from '../../src/console/audit/audit-sentences.ts'
import type { StoredAuditEntry } from '../../src/store/records.ts'

const SOURCES = join(import.meta.dirname, '../../src')

/** The actions that the sources note in the audit log. */
function notedActions(): Set<string> {
  const files = globSync('{domain,issuer,mail,webhooks,http,console/routes}/**/*.ts', {
    cwd: SOURCES,
  })
  const texts = files.map((file) => readFileSync(join(SOURCES, file), 'utf8'))
  const calls =
    /(?:\b(?:note|commit|commitMany)\(\s*[^'`;]{1,60}|\b(?:action|ACTION|JOB_BEGIN)\b[^'`;=\n]{0,20}[:=] ?)'([a-z_]+\.[a-z_]+)'/g
  return new Set(texts.flatMap((text) => [...text.matchAll(calls)].map(([, name = '']) => name)))
}

test('every action that the service notes has a sentence', () => {
  const noted = [...notedActions()]
  expect(noted.length).toBeGreaterThan(40)
  const fallback = sentenceOfEntry({
    action: 'nothing.known',
    outcome: 'success',
  } as StoredAuditEntry)
  for (const action of noted) {
    const sentence = sentenceOfEntry({ action, outcome: 'success' } as StoredAuditEntry)
    expect([action, sentence]).not.toEqual([action, fallback])
  }
})

test('a sentence is there for actions that the service notes, and for no others', () => {
  const all = globSync('**/*.ts', { cwd: SOURCES })
    .filter((file) => !file.startsWith('console/audit/audit-sentences'))
    .map((file) => readFileSync(join(SOURCES, file), 'utf8'))
    .join('\n')
  const names = Object.keys(auditSentences).filter((action) => !action.startsWith('login.'))
  for (const action of names) expect(all).toContain(action)
})
