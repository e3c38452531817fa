import type { IdentityService } from '@latchkey/service'
import type { Call } from './management.ts'

const STEP_MILLIS = 30_000

/** The authenticator app of a user, which may not be added yet. */
export interface Authenticator {
  /** Whether the user has added the app. */
  readonly isAdded: boolean
  /** Returns an unused code. The first call adds the app. */
  code(): Promise<string>
  /** Replaces the app by a new one, for example because its codes are used up. */
  renew(): Promise<void>
}

/** Makes an authenticator app. The first call of `code` adds it to the user. */
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
