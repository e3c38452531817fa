import {
  createIdentityService,
  type IdentityServiceOptions,
  type OperatorInput,
} from '@latchkey/service'
import type { Page } from 'playwright-core'
import { freePort } from '../../../../test/support/free-port.ts'

const PASSWORD = 'correct horse battery'

/** Starts a service whose console a browser on this machine reaches. */
export async function listenWithConsole(options: IdentityServiceOptions = {}) {
  const port = await freePort()
  const url = `http://console.localhost:${port}`
  const service = await createIdentityService({
    consoleUrl: url,
    allowHttpOnLoopback: true,
    closeSeconds: 1,
    ...options,
  })
  await service.listen({ port })

  /** Sets the password of an invited operator in a window, which is logged in then. */
  async function enter(page: Page, input: OperatorInput & { email: string }): Promise<void> {
    const { token } = await service.admin.inviteOperator(input)
    await page.goto(`${url}/console/invitation?token=${token}`)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Set the password' }).click()
    await logIn(page, input.email)
  }

  /** Logs in with the password, on the page that asks for it. */
  async function logIn(page: Page, email: string): Promise<void> {
    await page.getByLabel('Email address').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Log in', exact: true }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  }

  return {
    service,
    url,
    password: PASSWORD,
    enter,
    logIn,
    [Symbol.asyncDispose]: () => service.close(),
  }
}

export type ListeningConsole = Awaited<ReturnType<typeof listenWithConsole>>
