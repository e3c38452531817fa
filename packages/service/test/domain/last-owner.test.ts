import { expect, onTestFinished, test } from 'vitest'
import {
  acceptInvitation,
  removeOperator,
  setOperatorDisabled,
  updateOperator,
} from '../../src/domain/operators/operators.ts'
import type { DomainContext } from '../../src/domain/writes/context.ts'
import { createAdmin } from '../../src/operate/admin.ts'
import { openApi } from '../support/context.ts'
import { createDatabase, openPostgresDataStore } from '../support/postgres.ts'

/** One context of a process on SQLite; those of two processes on PostgreSQL. */
const processes = {
  async SQLite(): Promise<[DomainContext, DomainContext]> {
    const api = await openApi('SQLite')
    onTestFinished(() => api[Symbol.asyncDispose]())
    return [api.context, api.context]
  },
  async PostgreSQL(): Promise<[DomainContext, DomainContext]> {
    const api = await openApi('memory')
    const database = await createDatabase()
    const open = () => ({ ...api.context, store: openPostgresDataStore(database.url) })
    const [one, two] = [open(), open()]
    onTestFinished(async () => {
      await Promise.all([one.store.close(), two.store.close()])
      await database.drop()
      await api[Symbol.asyncDispose]()
    })
    return [one, two]
  },
}

type Change = (context: DomainContext, id: string) => Promise<unknown>

const scopeOf = (context: DomainContext) => ({ context, actor: { name: 'operator:x' } })

const changes: Record<string, Change> = {
  remove: (context, id) => removeOperator(scopeOf(context), id),
  demote: (context, id) => updateOperator(scopeOf(context), id, { role: 'viewer' }),
  disable: (context, id) => setOperatorDisabled(scopeOf(context), id, true),
}

for (const [store, start] of Object.entries(processes)) {
  test.each(Object.entries(changes))(
    `owners who %s each other at the same instant leave one, on ${store}`,
    async (_, change) => {
      const [one, two] = await start()
      const admin = createAdmin(one)
      for (let i = 0; i < 5; i++) {
        await admin.inviteOperator({ email: `a${i}@example.com`, role: 'owner' })
        await admin.inviteOperator({ email: `b${i}@example.com`, role: 'owner' })
        const owners = (await admin.listOperators()).filter(
          ({ operator, user }) => operator.role === 'owner' && !user.disabled,
        )
        const outcomes = await Promise.allSettled(
          owners.map(({ operator }, at) => change(at % 2 === 0 ? one : two, operator.id)),
        )
        const refused = outcomes.filter(({ status }) => status === 'rejected')
        expect(refused).toMatchObject([{ reason: { code: 'conflict' } }])
      }
    },
    60_000,
  )

  test(`of several who accept one invitation at the same instant, one sets the password, on ${store}`, async () => {
    const [one, two] = await start()
    const { token } = await createAdmin(one).inviteOperator({
      email: 'ada@example.com',
      role: 'owner',
    })
    const answers = await Promise.allSettled(
      [one, two, one, two].map((context, n) =>
        acceptInvitation(scopeOf(context), token, `the choice of visitor ${n}`),
      ),
    )
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })
}
