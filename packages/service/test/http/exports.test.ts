import { expect, test } from 'vitest'
import { csvLines } from '../../src/wire/tables.ts'

const { head, textOf } = csvLines(['id', 'note'])

test('a table is CSV by RFC 4180: only cells with a comma, a quote or a line end are quoted', () => {
  const rows = [
    { id: 1, note: 'plain text' },
    { id: 2, note: 'one, two' },
    { id: 3, note: 'she said "no"' },
    { id: 4, note: 'two\nlines' },
    { id: 5, note: 'two\rlines' },
    { id: 6 },
  ]
  expect(head + textOf(rows)).toBe(
    'id,note\r\n1,plain text\r\n2,"one, two"\r\n3,"she said ""no"""\r\n' +
      '4,"two\nlines"\r\n5,"two\rlines"\r\n6,\r\n',
  )
})

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1', "'=1"])(
  'a cell that a spreadsheet takes for a formula begins with an apostrophe (W10): %j',
  (note) => {
    const quote = /\r/.test(note) ? '"' : ''
    expect(textOf([{ id: 1, note }])).toBe(`1,${quote}'${note}${quote}\r\n`)
  },
)
