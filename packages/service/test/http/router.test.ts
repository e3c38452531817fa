import { expect, test } from 'vitest'
import { createRouter } from '../../src/wire/router.ts'

const find = createRouter([
  { method: 'GET', path: '/users/:user' },
  { method: 'GET', path: '/users/new' },
  { method: 'POST', path: '/users/new' },
  { method: 'POST', path: '/users/:user/keys' },
])

test('a path without parts goes before one with them', () => {
  expect(find('/users/new', 'GET').path).toBe('/users/new')
  const { path, params } = find('/users/usr_1', 'GET')
  expect({ path, params }).toEqual({ path: '/users/:user', params: { user: 'usr_1' } })
})

test('HEAD is answered as GET, and is among the methods of a path', () => {
  expect(find('/users/usr_1', 'HEAD').found).toEqual({ method: 'GET', path: '/users/:user' })
  expect(find('/users/usr_1/keys', 'GET')).toEqual({
    found: undefined,
    params: {},
    methods: ['POST'],
    path: '/users/:user/keys',
  })
  expect(find('/users/usr_1', 'PUT').methods).toEqual(['GET', 'HEAD'])
})

test.each([
  '/Users/new',
  '/users/new/',
  '/users//keys',
  '/users/a.b',
  '/users/:user',
  '/users/%6e',
])('nothing is at %s', (path) => {
  expect(find(path, 'GET')).toEqual({
    found: undefined,
    params: {},
    methods: [],
    path: undefined,
  })
})
