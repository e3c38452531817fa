import { type ManagementClient, NotFoundError, type User } from '@latchkey/management'

/** Creates a user, blocks them, and reads the list. */
export async function invite(client: ManagementClient, tenantId: string): Promise<void> {
  const users = client.users(tenantId)
  const ada = await users.create({ profile: { email: 'ada@example.com', name: 'Ada' } })

  // GET, change, POST all of it: what is not mentioned stays.
  await users.update(ada.id, { disabled: true })
  await users.update(ada.id, (user) => {
    user.metadata.plan = 'gold'
  })

  for await (const user of users.list()) console.log(describe(user))

  await users.delete(ada.id)
  await users.get(ada.id).catch((error) => {
    if (!(error instanceof NotFoundError)) throw error
    console.log(`${error.status} ${error.code}`)
  })
}

function describe({ profile, disabled, metadata }: User): string {
  return `${profile.email} ${disabled ? 'blocked' : 'active'} ${metadata.plan}`
}
