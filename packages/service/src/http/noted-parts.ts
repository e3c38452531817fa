import { noteExport } from '../domain/writes/audit.ts'
import type { Part } from '../wire/json-lines.ts'
import type { Call } from './route.ts'

/** The number of objects that a request has read so far, by request. */
const rowsOf = new WeakMap<Call, number>()

/**
 * Reads a part of a download, and notes the download in the audit log: one entry before the first
 * part is read, and one with the number of rows after the last, as in the console.
 *
 * @param facts - The filters and the format. Members that are `undefined` are left out.
 */
export async function notedPart<P extends Part>(
  call: Call,
  subject: 'user' | 'audit',
  facts: Readonly<Record<string, string | undefined>>,
  read: () => Promise<P>,
): Promise<P> {
  const { scope } = call
  const rows = rowsOf.get(call)
  if (rows === undefined) {
    const given = Object.entries(facts).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    )
    await noteExport(scope, `${subject}.export`, Object.fromEntries(given))
  }
  const part = await read()
  const sum = (rows ?? 0) + part.items.length
  rowsOf.set(call, sum)
  if (part.next === undefined) await noteExport(scope, `${subject}.exported`, { rows: sum })
  return part
}
