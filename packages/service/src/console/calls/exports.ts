import { noteExport } from '../../domain/writes/audit.ts'
import type { Answer, Call } from './call.ts'

/** A file of lines that an operator downloads. */
type LinesAnswer = Extract<Answer, { kind: 'lines' }>

/**
 * A download of many objects. The audit log gets an entry before the first byte is sent, and one
 * with the number of rows when all were read.
 *
 * @param filter - The form's filters, by their names.
 */
export async function noted(
  { scope }: Pick<Call, 'scope'>,
  subject: 'user' | 'audit',
  filter: Readonly<Record<string, string>>,
  answer: LinesAnswer,
): Promise<LinesAnswer> {
  await noteExport(scope, `${subject}.export`, filter)
  let rows = 0
  return {
    ...answer,
    async read(after) {
      const part = await answer.read(after)
      rows += part.items.length
      if (part.next === undefined) await noteExport(scope, `${subject}.exported`, { rows })
      return part
    },
  }
}
