import { describe, expect, test } from 'vitest'
import { type Api, anyStore, startApi, stores } from '../support/api.ts'
import { bcryptOf, digestOf } from '../support/hashes.ts'
import { useSharedData } from '../support/shared-data.ts'

const bcrypt = (cost: keyof typeof bcryptOf) => ({ alg: 'bcrypt', hash: bcryptOf[cost] })
const ada = { profile: { email: 'ada@example.com', name: 'Ada' }, metadata: { plan: 'free' } }

async function importOne(api: Api, user: object): Promise<string> {
  const { body } = await api.post(`/x${api.users}/import`, { users: [user] })
  return body.data[0].id
}

const send = (api: Api, what: 'update' | 'preview', users: unknown[]) =>
  api.post(`/x${api.users}/import/${what}`, { users })

/** Sends the preview and the update, which say the same, and the update again, which changes nothing. */
async function bring(api: Api, users: unknown[]) {
  const preview = (await send(api, 'preview', users)).body
  const { status, body } = await send(api, 'update', users)
  expect(status).toBe(200)
  const { data: _, ...counts } = body
  expect(preview).toMatchObject(counts)
  const { created, updated, unchanged, conflict, refused } = body
  expect(created + updated + unchanged + conflict + refused).toBe(users.length)
  return body
}

/** As an operator or a key changes a user here. */
async function changeHere(api: Api, id: string, change: (user: Record<string, object>) => object) {
  const { body } = await api.get(`${api.users}/${id}`)
  const { status } = await api.post(`${api.users}/${id}`, { ...body, ...change(body) })
  expect(status).toBe(200)
}

const sharedData = useSharedData()

/** The rules read the audit log and lock rows, so they are tried on each kind of database. */
const places = stores.includes('cluster') ? stores : [...stores, 'PostgreSQL' as const]

async function start(place: (typeof places)[number]): Promise<Api> {
  return place === 'PostgreSQL' ? startApi(anyStore, await sharedData()) : startApi(place)
}

describe.each(places)('on %s', (place) => {
  test('a newer export updates what changed, and a third run changes nothing', async () => {
    await using api = await start(place)
    const id = await importOne(api, { ...ada, password: bcrypt(10) })
    const same = await importOne(api, { profile: { email: 'same@example.com' } })
    const newer = [
      {
        ...{ id, disabled: false, metadata: { plan: 'gold' }, password: bcrypt(8) },
        profile: { email: 'ada@new.example', name: 'Ada Lovelace', email_verified: true },
      },
      { id: same, profile: { email: 'same@example.com' } },
      { profile: { email: 'new@example.com' }, password: bcrypt(10) },
      { profile: { email: 'no address' } },
    ]
    const body = await bring(api, newer)
    expect(body).toMatchObject({ created: 1, updated: 1, unchanged: 1, conflict: 0, refused: 1 })
    expect(body.data[0]).toEqual({
      ...{ status: 'updated', id, conflicts: [] },
      members: ['profile.name', 'metadata.plan', 'profile.email', 'password'],
    })
    expect((await api.get(`${api.users}/${id}`)).body).toMatchObject({
      metadata: { plan: 'gold' },
      profile: { email: 'ada@new.example', name: 'Ada Lovelace', email_verified: true },
    })
    const credential = await api.get(`${api.users}/${id}/credentials/password`)
    expect(credential.body.password.hash).toBe(bcryptOf[8])

    const again = (await send(api, 'update', newer)).body
    expect(again).toMatchObject({ created: 0, updated: 0, unchanged: 3, conflict: 0, refused: 1 })
  })

  test('what was changed here since is a conflict, and stays', async () => {
    await using api = await start(place)
    const id = await importOne(api, ada)
    await changeHere(api, id, ({ profile }) => ({ profile: { ...profile, name: 'Countess' } }))
    const newer = { id, profile: { ...ada.profile, name: 'Ada L.' }, metadata: { plan: 'gold' } }
    const { data } = await bring(api, [newer])
    expect(data[0]).toMatchObject({
      ...{ status: 'updated', members: ['metadata.plan'] },
      conflicts: [{ member: 'profile.name', reason: 'changed_here' }],
    })
    expect((await bring(api, [newer])).data[0].status).toBe('conflict')
    const { body } = await api.get(`${api.users}/${id}`)
    expect(body).toMatchObject({ profile: { name: 'Countess' }, metadata: { plan: 'gold' } })

    // What an import changed may be changed by the next one.
    const third = await bring(api, [{ ...newer, metadata: { plan: 'silver' } }])
    expect(third.data[0].members).toEqual(['metadata.plan'])
  })

  test('a user who was blocked there is blocked here, and one whom an operator blocked here stays blocked', async () => {
    await using api = await start(place)
    const id = await importOne(api, ada)
    const blocked = await bring(api, [{ id, ...ada, disabled: true }])
    expect(blocked).toMatchObject({ updated: 1, blocked: 1 })
    expect((await api.get(`${api.users}/${id}`)).body.disabled).toBe(true)

    // Unblocked there: nobody here has decided anything.
    const allowed = await bring(api, [{ id, ...ada, disabled: false }])
    expect(allowed).toMatchObject({ updated: 1, blocked: 0 })
    // An export that does not say who may log in changes nothing about it.
    await bring(api, [{ id, ...ada, disabled: true }])
    expect(await bring(api, [{ id, ...ada }])).toMatchObject({ unchanged: 1 })

    // An operator overrules the old system.
    await changeHere(api, id, () => ({ disabled: false }))
    const overruled = await bring(api, [{ id, ...ada, disabled: true }])
    expect(overruled.data[0].conflicts).toEqual([{ member: 'disabled', reason: 'enabled_here' }])

    // An operator blocks; the old system does not undo it.
    await changeHere(api, id, () => ({ disabled: true }))
    const kept = await bring(api, [{ id, ...ada, disabled: false }])
    expect(kept.data[0].conflicts).toEqual([{ member: 'disabled', reason: 'disabled_here' }])
    expect((await api.get(`${api.users}/${id}`)).body.disabled).toBe(true)
    // Enabled again here, it is no longer a decision against the old system: its next denial counts.
    await changeHere(api, id, () => ({ disabled: false }))
    expect(await bring(api, [{ id, ...ada, disabled: true }])).toMatchObject({ blocked: 1 })
  })

  test('a user who was deleted here, and one who signed up here, are left alone', async () => {
    await using api = await start(place)
    const id = await importOne(api, ada)
    await api.delete(`${api.users}/${id}`)
    const { data } = await bring(api, [{ id, ...ada }])
    expect(data[0].conflicts).toEqual([{ member: 'user', reason: 'deleted_here' }])
    expect((await api.get(api.users)).body.total ?? 0).toBe(0)
  })

  test('an address of another user is a conflict that names the holder', async () => {
    await using api = await start(place)
    const id = await importOne(api, ada)
    const holder = await importOne(api, { profile: { email: 'taken@example.com', name: 'T' } })
    const taken = { profile: { email: 'TAKEN@example.com', name: 'Another' } }
    const { data } = await bring(api, [{ id, ...taken }, taken])
    expect(data[0]).toMatchObject({ status: 'updated', members: ['profile.name'] })
    const conflict = { member: 'profile.email', reason: 'address_taken', holder }
    expect(data[0].conflicts).toEqual([conflict])
    expect(data[1]).toEqual({ status: 'conflict', conflicts: [conflict] })
    // By address, the user is meant.
    const { data: meant } = await bring(api, [{ ...taken, match_address: true }])
    expect(meant[0]).toMatchObject({ status: 'updated', id: holder, members: ['profile.name'] })
  })

  test('legacy and plain passwords are compared, so that they are replaced once', async () => {
    await using api = await start(place)
    const md5 = { alg: 'md5', hash: digestOf.md5 }
    const id = await importOne(api, { ...ada, password: md5 })
    expect(await bring(api, [{ id, ...ada, password: md5 }])).toMatchObject({ unchanged: 1 })
    const plain = { alg: 'plain', hash: 'another horse' }
    expect(await bring(api, [{ id, ...ada, password: plain }])).toMatchObject({ updated: 1 })
    expect(await bring(api, [{ id, ...ada, password: plain }])).toMatchObject({ unchanged: 1 })
  })

  test.each(['\0', '\ud800'])(
    'the text %j refuses the row that has it, and no other',
    async (text) => {
      await using api = await start(place)
      const id = await importOne(api, ada)
      const broken = { profile: { email: `a${text}@b.example` } }
      const body = await bring(api, [{ id, ...ada }, broken, { ...ada, id: `usr_${text}` }])
      expect(body).toMatchObject({ unchanged: 1, refused: 1, conflict: 1 })
      expect(body.data[1]).toMatchObject({ status: 'refused', code: 'invalid_email' })
      expect(body.data[2].conflicts).toEqual([{ member: 'user', reason: 'deleted_here' }])
      const { body: created } = await api.post(`/x${api.users}/import`, { users: [ada, broken] })
      expect(created).toMatchObject({ existing: 1, refused: 1 })
    },
  )

  test('each update is in the audit log with its members, and the run as a whole', async () => {
    await using api = await start(place)
    const id = await importOne(api, ada)
    const { headers } = await send(api, 'update', [{ id, ...ada, disabled: true }])
    const requestId = headers.get('request-id') ?? ''
    const entries = await api.service.admin.audit({ requestId })
    expect(entries.map(({ action, fields }) => [action, fields]).reverse()).toEqual([
      ['user.update', ['disabled=true']],
      ['user.import', undefined],
    ])
  })
})
