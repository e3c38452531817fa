import type { IdentityService } from '../service.ts'

/** The URL of the management console, and the operator to log in as. */
export interface DemoOperator {
  url: string
  email: string
  /** The initial password, which the operator may have changed. */
  password: string
}

/** Ensures that the console has the demo operator. An existing operator keeps the password. */
export async function prepareOperator(
  { admin, fetch }: IdentityService,
  consoleUrl: string,
): Promise<DemoOperator> {
  const operator = { email: 'operator@example.com', password: 'keys of the whole house' }
  const found = (await admin.listOperators()).find(({ user }) => user.email === operator.email)
  if (!found || found.operator.invitation) {
    const { token } = await admin.inviteOperator({ email: operator.email, role: 'owner' })
    const body = new URLSearchParams({ token, password: operator.password })
    await fetch(`${consoleUrl}/console/invitation`, { method: 'POST', body, redirect: 'manual' })
  }
  return { url: `${consoleUrl}/console`, ...operator }
}
