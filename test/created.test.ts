import { expect, test } from 'vitest'
import { combinations, combinationsOf, nameOf } from '../scripts/created.ts'
import { managers } from '../scripts/managers.ts'

const all = combinations()
const npm = all.filter(({ manager }) => manager === managers[0])

test('the applications that are made each night are those of the tables of create-latchkey', () => {
  // Six frameworks in two languages and NestJS in one, at two providers.
  expect(npm.map(nameOf)).toHaveLength((6 * 2 + 1) * 2)
  expect(all).toHaveLength(npm.length * managers.length)
  expect(new Set(all.map(nameOf)).size).toBe(all.length)
})

test('each night makes every application with npm, and one of each framework with another package manager', () => {
  for (const day of [0, 20_784, 20_785]) {
    const others = combinationsOf(day, all).slice(npm.length)
    expect(combinationsOf(day, all).slice(0, npm.length)).toEqual(npm)
    expect(new Set(others.map(({ framework }) => framework)).size).toBe(7)
    expect(new Set(others.map(({ manager }) => manager)).size).toBe(managers.length - 1)
  }
})

test('after 16 nights, every application was made with every package manager', () => {
  const days = Array.from({ length: 16 }, (_, n) => combinationsOf(20_784 + n, all))
  expect(new Set(days.flat().map(nameOf))).toEqual(new Set(all.map(nameOf)))
})
