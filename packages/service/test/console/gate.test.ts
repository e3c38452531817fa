import { expect, test } from 'vitest'
import {
  confirmed,
  formToken,
  freshLogin,
  operator,
  permission,
  reach,
  resumed,
  route,
  tenant,
  visited,
} from '../../src/console/gate/checks.ts'
import type { Arrived } from '../../src/console/gate/context.ts'
import { gate } from '../../src/console/gate/gate.ts'

test('a check of the console that stands before one it needs does not compile', () => {
  const known = gate(visited).check(operator)
  const routed = known.check(confirmed).check(resumed).check(route)
  const permitted = routed.check(reach).check(permission)
  // @ts-expect-error: the session is not looked at
  const first: (arrived: Arrived) => unknown = gate(operator).check(visited).pass
  // @ts-expect-error: the operator is not known
  gate(visited).check(resumed).check(operator)
  // @ts-expect-error: the form that was kept is not found, so neither is its path
  known.check(route).check(resumed)
  // @ts-expect-error: the route is not found
  known.check(resumed).check(reach).check(route)
  // @ts-expect-error: the operator may not reach the tenant
  routed.check(permission).check(reach)
  // @ts-expect-error: the permission is not checked
  routed.check(reach).check(tenant).check(permission)
  // @ts-expect-error: the tenant is not looked up
  permitted.check(formToken).check(tenant)
  // @ts-expect-error: the form may come from another site
  permitted.check(tenant).check(freshLogin).check(formToken)
  expect(first).toBeTypeOf('function')
  expect(permitted.check(tenant).check(formToken).check(freshLogin)).toHaveProperty('pass')
})

test('a check behind one that has answered the request is not run', async () => {
  const ran: string[] = []
  const checks = gate((context: { path: string }) => ({ ...context, name: context.path.slice(1) }))
    .check((context) => (context.name === 'gone' ? undefined : context))
    .check(async (context) => {
      ran.push(context.name)
      return { ...context, isFound: true }
    })
  expect(await checks.pass({ path: '/gone' })).toBeUndefined()
  expect(await checks.pass({ path: '/home' })).toEqual({
    path: '/home',
    name: 'home',
    isFound: true,
  })
  expect(ran).toEqual(['home'])
})
