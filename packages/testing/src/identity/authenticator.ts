import type { IdentityService } from '@latchkey/service'
import type { Call } from './management.ts'

const STEP_MILLIS = 30_000

/** The authenticator app of a user, who may have none. */
export interface Authenticator {
  /** Whether the user has added it. */
  readonly isAdded: boolean
  /** A code that was not used before; the first one adds the app. */
  code(): Promise<string>
  /** Replaces the app, whose codes may be used up, by a new one. */
  renew(): Promise<void>
}

/** The app that a user adds at the first code. */
export function createAuthenticator(
  { admin }: IdentityService,
  call: Call,
  tenantId: string,
  userId: string,
): Authenticator {
  let added: ReturnType<typeof add> | undefined
  let lastStep = 0

  async function add() {
    const path = `/v1/tenants/${tenantId}`
    const tenant = await call(path)
    const settings = { ...(tenant.settings as object), allow_totp_app: true }
    await call(path, { ...tenant, settings })
    return admin.giveAuthenticatorApp(tenantId, userId)
  }

  return {
    get isAdded() {
      return added !== undefined
    },
    async code() {
      added ??= add()
      const app = await added
      const step = Math.floor(Date.now() / STEP_MILLIS)
      // Each code is accepted once. Within 30 seconds, the code of the next time step is accepted
      // as well.
      lastStep = Math.max(step, Math.min(lastStep + 1, step + 1))
      return app.code(lastStep - step)
    },
    async renew() {
      added = add()
      lastStep = 0
      await added
    },
  }
}
