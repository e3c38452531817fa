import type { ReplaceOutcome, SessionRecord, SessionStore } from './session-store.ts'

/** As express-session has it: a store of files may say ENOENT for a session that is not there. */
export function isFailure(error: unknown): boolean {
  return Boolean(error) && (error as { code?: string }).code !== 'ENOENT'
}

/** Reads a record as a promise. */
export function read(store: SessionStore, id: string): Promise<SessionRecord | undefined> {
  return new Promise((resolve, reject) => {
    store.get(id, (error, record) => {
      if (isFailure(error)) reject(error)
      else resolve(record ?? undefined)
    })
  })
}

/** Makes a call of a store a promise. */
export function call(run: (done: (error?: unknown) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    run((error) => (error ? reject(error) : resolve()))
  })
}

/** Writes over the record that was `seen`; stores that cannot tell write over any. */
export async function replaceRecord(
  store: SessionStore,
  id: string,
  record: SessionRecord,
  seen: SessionRecord,
): Promise<ReplaceOutcome> {
  if (store.replace) return store.replace(id, record, seen)
  await call((done) => store.set(id, record, done))
  return 'replaced'
}
