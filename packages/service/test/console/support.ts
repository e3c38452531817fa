import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createIdentityService,
  type IdentityService,
  type IdentityServiceOptions,
  type OperatorInput,
} from '@latchkey/service'
import { onTestFinished } from 'vitest'
import { SYSTEM_TENANT_ID } from '../../src/store/system-tenant.ts'
import { type Browser, createBrowser, type Page } from '../issuer/support/browser.ts'
import { codeOf } from '../issuer/support/factors.ts'
import { connectApi } from '../support/api.ts'

/** Where the console of the tests is. */
export const CONSOLE = 'https://console.example'

const PASSWORD = 'correct horse battery'

/** Adds an endpoint for events to a tenant, as a program with an API key does; answers with its id. */
export async function addWebhook(
  service: IdentityService,
  tenantId: string,
  fields: { url: string; description?: string },
): Promise<string> {
  const { secret, key } = await service.admin.createApiKey({ name: 'webhooks', reach: [tenantId] })
  const { create } = connectApi(service.fetch, secret, tenantId)
  const { id } = await create(`/x/v1/tenants/${tenantId}/webhooks`, fields)
  await service.admin.revokeApiKey(key.id)
  return id
}

/** A browser of an operator. */
export interface OperatorBrowser extends Browser {
  id: string
  email: string
  /** The overview, as it was after the login. */
  landed: Page
}

/** A service with a console, and operators who log in to it. */
export interface ConsoleService extends AsyncDisposable {
  service: IdentityService
  /** A browser whose requests come from the console's own pages. */
  open(): Browser
  /** Invites an operator, who sets a password and logs in. */
  logIn(input: OperatorInput & { email?: string }): Promise<OperatorBrowser>
}

/** The stores that the console is tried on. */
export const stores = ['SQLite'] as const

/** Options of a service on a store; its folder goes with the test. */
export function on(_: (typeof stores)[number]): IdentityServiceOptions {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-console-'))
  onTestFinished(() => rmSync(data, { recursive: true, force: true }))
  return { data }
}

/** Posts a form of a page with what it sends. */
export function press(
  browser: Browser,
  page: Pick<Page, 'html'>,
  path: string,
  fields: Record<string, string> = {},
): Promise<Page> {
  const csrf = /name="csrf" value="([^"]+)"/.exec(page.html)?.[1] ?? ''
  return browser.send(path, {
    method: 'POST',
    body: new URLSearchParams({ csrf, ...fields }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
}

/** Starts a service with a console, in memory unless the options name a folder. */
export async function startConsole(options: IdentityServiceOptions = {}): Promise<ConsoleService> {
  const service = await createIdentityService({ consoleUrl: CONSOLE, ...options })
  const open = () => {
    const browser = createBrowser({ url: CONSOLE, fetch: service.fetch as never })
    Object.assign(browser.headers, {
      'sec-fetch-site': 'same-origin',
      'sec-fetch-mode': 'navigate',
    })
    return browser
  }
  return {
    service,
    open,
    async logIn({ email = `${input()}@example.com`, ...given }) {
      const { operator, token } = await service.admin.inviteOperator({ email, ...given })
      const browser = open()
      const invited = await browser.get(`/console/invitation?token=${token}`)
      const form = await browser.submit(invited, { password: PASSWORD })
      const { seed } = await service.admin.giveAuthenticatorApp(SYSTEM_TENANT_ID, operator.id)
      const codes = codesOf(seed)
      const { submit } = browser
      /** Where the second step is asked for, it is taken. */
      browser.submit = async (page, fields) => {
        const answer = await submit(page, fields)
        const isAsked = answer.html.includes('name="code"') && answer.status === 200
        return isAsked ? submit(answer, { code: codes() }) : answer
      }
      const landed = await browser.submit(form, { email, password: PASSWORD })
      return Object.assign(browser, { id: operator.id, email, landed })
    },
    [Symbol.asyncDispose]: () => service.close(),
  }
}

/** The codes of an authenticator app, each of a time step of its own: none is good twice. */
function codesOf(seed: string): () => string {
  let last = 0
  return () => {
    const time = Date.now()
    const now = Math.floor(time / 30_000)
    // The code of the step before would be out of date when it arrives, at the end of this one.
    const earliest = time % 30_000 < 20_000 ? now - 1 : now
    last = Math.max(earliest, last + 1)
    return codeOf(seed, last - now)
  }
}

/** As {@link startConsole}, with the data in memory or in a folder that goes with the service. */
export async function startConsoleOn(store: 'memory' | 'SQLite'): Promise<ConsoleService> {
  if (store === 'memory') return startConsole()
  const data = mkdtempSync(join(tmpdir(), 'latchkey-console-'))
  const running = await startConsole({ data })
  return {
    ...running,
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]()
      rmSync(data, { recursive: true })
    },
  }
}

/** Sends a form to `action` with the token of `page`, and the version that `page` shows. */
export async function sendForm(
  browser: OperatorBrowser,
  action: string,
  fields: Record<string, string>,
  page: string = action,
): Promise<Page> {
  const { html } = await browser.get(page)
  const csrf = /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? ''
  const readAt = /name="read_at" value="(\d+)"/.exec(html)?.[1] ?? ''
  return browser.send(action, {
    method: 'POST',
    body: new URLSearchParams({ csrf, read_at: readAt, ...fields }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
}

const unescaped = (text: string) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

/** The fields that a browser sends of the form with that action, before anything is changed in it. */
export function fieldsOf(html: string, action: string): [name: string, value: string][] {
  const forms = html.matchAll(/<form method="post" action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g)
  const body = [...forms].find(([, to]) => to === action)?.[2] ?? ''
  const found = body.matchAll(
    /<input([^>]*)>|<select[^>]* name="(\w+)"[^>]*>([\s\S]*?)<\/select>|<textarea[^>]* name="(\w+)"[^>]*>\n?([\s\S]*?)<\/textarea>/g,
  )
  return [...found].flatMap(([, input, select, options = '', area, text = '']) => {
    if (area) return [[area, unescaped(text)] as [string, string]]
    if (select) {
      const values = [...options.matchAll(/<option value="([^"]*)"([^>]*)>/g)]
      const chosen = values.find(([, , state]) => state?.includes('selected')) ?? values[0]
      return [[select, unescaped(chosen?.[1] ?? '')] as [string, string]]
    }
    const [, name] = / name="(\w+)"/.exec(input ?? '') ?? []
    const [, value = ''] = / value="([^"]*)"/.exec(input ?? '') ?? []
    const isOff = input?.includes('type="checkbox"') && !/\schecked/.test(input)
    return name === undefined || isOff ? [] : [[name, unescaped(value)] as [string, string]]
  })
}

/**
 * Sends a form as a browser does, with changes, for a review or past it to be saved. `undefined` takes a box off; rows of
 * metadata take the place of those that are there.
 */
export async function sendChanges(
  browser: OperatorBrowser | Browser,
  page: string,
  changes: Readonly<Record<string, string | readonly string[] | undefined>>,
  { action = page, opened }: { action?: string; opened?: Page } = {},
): Promise<Page> {
  const { html } = opened ?? (await browser.get(page))
  const body = new URLSearchParams(
    fieldsOf(html, page).filter(([name]) => !Object.hasOwn(changes, name)),
  )
  for (const [name, value] of Object.entries(changes)) {
    for (const one of [value ?? []].flat()) body.append(name, one)
  }
  return browser.send(action, {
    method: 'POST',
    body: body.toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
}

/** Presses "Change it" on the page that shows what settings change. */
export async function confirmSettings(
  browser: OperatorBrowser | Browser,
  page: string,
  reviewed: Page,
): Promise<Page> {
  return browser.send(`${page}/save`, {
    method: 'POST',
    body: new URLSearchParams(fieldsOf(reviewed.html, `${page}/save`)).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
}

/** The text of a page, without its elements. */
export function textOf(html: string): string {
  return unescaped(html.replace(/<[^>]+>/g, ''))
}

let made = 0
function input(): string {
  made++
  return `operator-${made}`
}
