import { noteExport } from '../../domain/writes/audit.ts'
import type { Answer, Call } from './call.ts'

/** The answer that sends a file to the operator. */
type LinesAnswer = Extract<Answer, { kind: 'lines' }>

/**
 * Notes a download in the audit log: one entry before the first byte is sent, and another with the
 * number of rows once all rows were read.
 *
 * @param filter - The filters of the download, by their names.
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
