import { describe, expect, test, vi } from 'vitest'
import { startMailServer } from './mail-server.ts'
import { type OperatorBrowser, on, press, startConsole, stores, textOf } from './support.ts'

const PATH = '/console/operators'
const BOB = 'bob@example.com'

/** A service that sends mail, and an owner. */
async function startInviting(store: (typeof stores)[number], code?: number) {
  const server = await startMailServer()
  server.state.code = code
  let ahead = 0
  const clock = { now: () => Date.now() + ahead }
  const running = await startConsole({ ...on(store), mail: server.mail, clock })
  const owner = await running.logIn({ role: 'owner', email: 'ada@example.com' })
  return {
    ...{ server, running, owner },
    invite: async (fields: Record<string, string> = {}) =>
      press(owner, await owner.get(`${PATH}/new`), `${PATH}/new`, {
        email: BOB,
        role: 'support',
        reach: 'all',
        ...fields,
      }),
    /** The links in the messages to Bob, the oldest first. */
    links: () =>
      server.received.flatMap((source) =>
        source.includes(`To: ${BOB}`)
          ? (/https:\/\/console\.example(\/console\/invitation\?token=[\w-]{43})/.exec(
              source,
            )?.[1] ?? [])
          : [],
      ),
    idOf: async (email: string) =>
      (await running.service.admin.listOperators()).find(({ user }) => user.email === email)
        ?.operator.id ?? '',
    pass: (milliseconds: number) => {
      ahead += milliseconds
    },
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

const rowOf = (html: string, email: string) =>
  html.split('<tr').find((row) => row.includes(email)) ?? ''

const openEach = (owner: OperatorBrowser) => owner.get(PATH).then(({ html }) => rowOf(html, BOB))

describe.each(stores)('on %s, an operator is invited by mail', (store) => {
  test('in German, chooses a password, and the inviter is told', async () => {
    await using at = await startInviting(store)
    const sent = await at.invite({ language: 'de' })
    expect(sent.location).toBe(`${PATH}?done=invited_operator`)
    await vi.waitFor(() => expect(at.links()).toHaveLength(1))
    const source = at.server.received.join()
    expect(source).toContain('Ihre Einladung in die Verwaltungskonsole')
    expect(source).toContain('ada@example.com l')
    expect(source.replaceAll(/=\r?\n/g, '')).toContain('Ihre Rolle ist Support')
    const shown = await vi.waitFor(async () => {
      const row = await openEach(at.owner)
      expect(row).toContain('badge good">sent')
      return row
    })
    expect(shown).toContain('invited')
    expect(shown).not.toContain('token=')

    const bob = at.running.open()
    const form = await bob.get(at.links()[0] ?? '')
    expect(form.html).toContain(BOB)
    expect(form.html).toContain('The console asks for it at each login')
    const weak = await bob.submit(form, { password: '12345678' })
    expect(weak.status).toBe(422)
    await bob.submit(weak, { password: 'a long sentence of words' })
    await vi.waitFor(() =>
      expect(at.server.received.join()).toContain('Your invitation was accepted'),
    )
    expect(await openEach(at.owner)).not.toContain('invited')
    const used = await at.running.open().get(at.links()[0] ?? '')
    expect(used.status).toBe(404)
    expect(textOf(used.html)).toContain('It was used, withdrawn or replaced by a later one.')
    expect((await at.invite()).status).toBe(422)
    expect((await at.invite()).html).toContain('This address is an operator’s already')
  })

  test('the last link is the only good one, and a withdrawn or old one says so', async () => {
    await using at = await startInviting(store)
    await at.invite()
    await vi.waitFor(() => expect(at.links()).toHaveLength(1))
    const id = await at.idOf(BOB)
    const again = await press(at.owner, await at.owner.get(PATH), `${PATH}/${id}/invite`, {
      by: 'mail',
    })
    expect(again.location).toBe(`${PATH}?done=invited_operator`)
    await vi.waitFor(() => expect(at.links()).toHaveLength(2))
    const [first = '', second = ''] = at.links()
    const visitor = at.running.open()
    expect((await visitor.get(first)).status).toBe(404)
    expect((await visitor.get(second)).status).toBe(200)
    at.pass(25 * 3_600_000)
    const old = await visitor.get(second)
    expect(old.status).toBe(404)
    expect(textOf(old.html)).toContain('It is older than 24 hours')
  })

  test('an invitation that is withdrawn opens nothing, also for a form that is open', async () => {
    await using at = await startInviting(store)
    await at.invite()
    await vi.waitFor(() => expect(at.links()).toHaveLength(1))
    const bob = at.running.open()
    const form = await bob.get(at.links()[0] ?? '')
    const remove = `${PATH}/${await at.idOf(BOB)}/remove`
    await press(at.owner, await at.owner.get(remove), remove, { typed: BOB })
    expect((await bob.submit(form, { password: 'a long sentence of words' })).status).toBe(404)
    expect(await at.idOf(BOB)).toBe('')
  })

  test('is told by the list when the mail server refuses the message, and a link to copy is there', async () => {
    await using at = await startInviting(store, 550)
    await at.invite()
    const row = await vi.waitFor(async () => {
      const found = await openEach(at.owner)
      expect(found).toContain('No such mailbox')
      return found
    })
    expect(row).toContain('given up')
    const id = await at.idOf(BOB)
    const made = await press(at.owner, await at.owner.get(PATH), `${PATH}/${id}/invite`, {
      by: 'link',
    })
    expect(made.location).toMatch(/\?once=/)
    const shown = await at.owner.get(made.location ?? '')
    expect(shown.html).toContain('/console/invitation?token=')
  })
})

test('without a mail server, the link is shown to the owner, as before', async () => {
  await using running = await startConsole()
  const owner = await running.logIn({ role: 'owner' })
  const page = await owner.get(`${PATH}/new`)
  expect(page.html).toContain('A mail server is not set up')
  const made = await press(owner, page, `${PATH}/new`, {
    ...{ email: BOB, role: 'viewer', reach: 'all' },
  })
  expect((await owner.get(made.location ?? '')).html).toContain('/console/invitation?token=')
})
