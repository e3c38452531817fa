import { expect, test } from 'vitest'
import {
  bind,
  insertInto,
  join,
  list,
  matches,
  name,
  sql,
  textOf,
} from '../../src/store/sql/sql.ts'

test('values are parameters, numbered as each database has them', () => {
  const statement = sql`select id from users where id = ${'usr_1'} and rev = ${2}`
  expect(textOf(statement, 'sqlite')).toBe('select id from users where id = ? and rev = ?')
  expect(textOf(statement, 'postgres')).toBe('select id from users where id = $1 and rev = $2')
  expect(statement.values).toEqual(['usr_1', 2])
})

test('parts become text where they stand, and their values follow one another', () => {
  const inner = sql`a = ${1} and ${sql`b = ${2}`} and c = ${3}`
  const statement = sql`${name('first')} ${0} (${inner}) ${4}${sql` end`}`
  expect(textOf(statement, 'postgres')).toBe('first $1 (a = $2 and b = $3 and c = $4) $5 end')
  expect(statement.values).toEqual([0, 1, 2, 3, 4])
  expect(textOf(insertInto('users', ['id', 'rev'], ['x', 1]), 'sqlite')).toBe(
    'insert into users (id, rev) values (?, ?)',
  )
  expect(textOf(sql`${matches(['a', 'b'])} in (${list([1, 2])})`, 'postgres')).toBe(
    'a = $1 and b = $2 in ($3, $4)',
  )
})

test('a place in the code has one text for each shape of its parts, whatever the values are', () => {
  const write = (part: ReturnType<typeof sql> | string, n: number) => sql`x ${part} y ${n}`
  const byPart = sql`is ${0}`
  expect(write(byPart, 1).shape).toBe(write(byPart, 2).shape)
  expect(write('value', 1).shape).toBe(write('other', 2).shape)
  const texts = [write(byPart, 1), write('value', 1), write(join([byPart, byPart]), 1)]
  expect(texts.map((one) => textOf(one, 'postgres'))).toEqual([
    'x is $1 y $2',
    'x $1 y $2',
    'x is $1, is $2 y $3',
  ])
})

test('a statement that was made once is bound to other values', () => {
  const statement = sql`a = ${'x'} and b = ${'y'}`
  const bound = bind(statement, [1, 2])
  expect(bound.values).toEqual([1, 2])
  expect(bound.shape).toBe(statement.shape)
  expect(() => bind(statement, [1])).toThrow('1 values stand for 2')
})

test('a text that is no name is refused as one', () => {
  for (const text of ['users; drop table users', '"users"', '', 'Users']) {
    expect(() => name(text)).toThrow('is no name')
  }
})
