import type { Readable } from 'node:stream'
import { CsvError, type Parser, parse } from 'csv-parse'
import { FileFault } from './file-fault.ts'
import { type CsvRow, createHeading } from './heading.ts'
import { separatorsOf } from './separators.ts'

/**
 * Reads the rows of a CSV file.
 *
 * @throws FileFault if the first line does not have the names of the columns, or if a quotation
 *   mark is misplaced.
 */
export async function* readCsv(
  file: string,
  stream: Readable,
  sample: string,
): AsyncGenerator<CsvRow> {
  /**
   * The line on which the record ended that the parser read last. The parser may be some records
   * ahead of the loop below.
   */
  let parsedLines = 0
  const parser: Parser = stream.pipe(
    parse({
      bom: true,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      delimiter: separatorsOf(sample),
      record_delimiter: ['\r\n', '\n', '\r'],
      on_record(record, { lines }) {
        parsedLines = lines
        return record
      },
    }),
  )
  stream.once('error', (error) => parser.destroy(error))
  const heading = createHeading(file)
  let line = 1
  // With the option `info`, the parser yields each record together with its position.
  const records = parser as AsyncIterable<{ record: string[]; info: { lines: number } }>
  try {
    for await (const { record, info } of records) {
      // The first line may be one that tells Excel the separator, such as `sep=;`.
      const isSeparator = heading.names.length === 0 && /^sep=/i.test(record[0] ?? '')
      if (!isSeparator) {
        const row = heading.take(line, record)
        if (row) yield row
      }
      line = info.lines + 1
    }
  } catch (error) {
    throw error instanceof CsvError ? quoteFault(file, error, parsedLines) : error
  }
}

/**
 * The fault of a misplaced quotation mark. It replaces the parser's error, whose message quotes the
 * value, which may be a hash.
 */
function quoteFault(file: string, error: CsvError, parsedLines: number): FileFault {
  const isOpen = error.code === 'CSV_QUOTE_NOT_CLOSED'
  const what = isOpen ? 'is opened and not closed' : 'stands within a value; double it there'
  const at = isOpen ? parsedLines + 1 : Number(error.lines)
  return new FileFault(
    `${file}, line ${at}: a quotation mark ${what}.`,
    isOpen ? 'quote_open' : 'quote_inside',
    { line: at },
  )
}
