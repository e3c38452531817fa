import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  faultsWhenAdapted,
  isFullGallery,
  keepPicture,
  overflows,
  sizes,
  violationsOf,
} from '../../../../test/support/look.ts'
import { compareTree } from '../../../../test/support/tree.ts'
import { consoleRoutes } from '../../src/console/routes/index.ts'
import { startChromium } from '../pages/chromium.ts'
import { pngOf } from '../support/images.ts'
import { LONG_NAME, longAddress, longDomain } from '../support/long-names.ts'
import { type ListeningConsole, listenWithConsole } from './chromium.ts'
import { fillConsole, type Ids, type Say } from './gallery-data.ts'
import { fillImports } from './gallery-imports.ts'

/** A page of the console with 60 users, or another path of the route, on which something is done before it is looked at. */
type Entry = string | { name: string; path: string; act?(page: Page): Promise<void> }

/** The pictures of each route; a name alone stands for its path with the ids of the data. */
const gallery: Readonly<Record<string, readonly Entry[]>> = {
  '/console': ['overview'],
  '/console/tenants': [
    'tenants',
    { name: 'tenants-none', path: '/console/tenants?search=nothing' },
  ],
  '/console/tenants/new': ['tenant-new'],
  '/console/keys': ['keys'],
  '/console/keys/new': ['key-new'],
  '/console/operators': ['operators'],
  '/console/operators/new': ['operator-new'],
  '/console/audit': ['audit', { name: 'audit-none', path: '/console/audit?target=nothing' }],
  '/console/audit/:entry': ['audit-entry'],
  '/console/system': ['system'],
  '/console/search': [
    { name: 'search', path: '/console/search?q=m.freifrau&in=:tenant' },
    { name: 'search-pages', path: '/console/search?q=passw&in=:tenant' },
    { name: 'search-none', path: '/console/search?q=nothing' },
  ],
  '/console/t/:tenant': ['tenant', { name: 'tenant-empty', path: '/console/t/:empty' }],
  '/console/t/:tenant/settings': [
    'settings',
    { name: 'settings-look', path: '/console/t/:tenant/settings', act: changeTheLook },
  ],
  '/console/t/:tenant/settings/logo': [
    'logo',
    { name: 'logo-look', path: '/console/t/:tenant/settings/logo', act: chooseLogo },
    { name: 'logo-stored', path: '/console/t/:tenant/settings/logo', act: saveLogo },
  ],
  '/console/t/:tenant/texts': [
    'texts',
    { name: 'texts-look', path: '/console/t/:tenant/texts', act: changeTexts },
  ],
  '/console/t/:tenant/users/import/stop': [
    { name: 'import-stop', path: '/console/t/:tenant/users/import/stop?job=:running' },
  ],
  '/console/t/:tenant/delete': ['tenant-delete'],
  '/console/keys/:key/withdraw': ['key-withdraw'],
  '/console/operators/:operator/disable': ['operator-disable'],
  '/console/operators/:operator/remove': ['operator-remove'],
  '/console/t/:tenant/users/:user/disable': ['user-disable'],
  '/console/t/:tenant/users/:user/ways/:credential/remove': ['way-remove'],
  '/console/t/:tenant/applications/:application/rotate': ['application-rotate'],
  '/console/t/:tenant/applications/:application/delete': ['application-delete'],
  '/console/t/:tenant/connections/:connection/disable': ['connection-disable'],
  '/console/t/:tenant/connections/:connection/remove': ['connection-remove'],
  '/console/t/:tenant/signing-keys/rotate': ['signing-keys-rotate'],
  '/console/t/:tenant/signing-keys/withdraw': ['signing-keys-withdraw'],
  '/console/t/:tenant/connections': [
    'connections',
    { name: 'connections-none', path: '/console/t/:empty/connections' },
  ],
  '/console/t/:tenant/connections/add/:recipe': ['connection-add'],
  '/console/t/:tenant/connections/:connection': ['connection'],
  '/console/t/:tenant/webhooks': [
    'webhooks',
    { name: 'webhooks-none', path: '/console/t/:empty/webhooks' },
  ],
  '/console/t/:tenant/webhooks/add': ['webhook-add'],
  '/console/t/:tenant/webhooks/:webhook': ['webhook'],
  '/console/t/:tenant/webhooks/:webhook/disable': ['webhook-disable'],
  '/console/t/:tenant/webhooks/:webhook/rotate': ['webhook-rotate'],
  '/console/t/:tenant/webhooks/:webhook/remove': ['webhook-remove'],
  '/console/t/:tenant/signing-keys': ['signing-keys'],
  '/console/t/:tenant/applications': [
    'applications',
    { name: 'applications-none', path: '/console/t/:empty/applications' },
  ],
  '/console/t/:tenant/applications/new': ['application-new'],
  '/console/t/:tenant/applications/:application': ['application'],
  '/console/t/:tenant/users': [
    'users',
    { name: 'users-none', path: '/console/t/:empty/users' },
    { name: 'users-found', path: '/console/t/:tenant/users?search=m.freifrau' },
  ],
  '/console/t/:tenant/users/new': ['user-new'],
  '/console/t/:tenant/users/bulk': [
    { name: 'bulk', path: '/console/t/:tenant/users/bulk?act=disable&of=all' },
    'bulk-none',
  ],
  '/console/t/:tenant/users/import': [
    'import',
    ...['columns', 'columnless', 'checked', 'update', 'running', 'ended', 'done'].map((state) => ({
      name: `import-${state}`,
      path: `/console/t/:tenant/users/import?job=:${state}`,
    })),
  ],
  '/console/t/:tenant/jobs/undo': [
    { name: 'job-undo', path: '/console/t/:tenant/jobs/undo?job=:enabled' },
  ],
  '/console/t/:tenant/jobs': ['jobs', { name: 'jobs-none', path: '/console/t/:empty/jobs' }],
  '/console/t/:tenant/users/:user': [
    'user',
    { name: 'user-long', path: '/console/t/:tenant/users/:long' },
  ],
  '/console/t/:tenant/users/:user/edit': ['user-edit'],
  '/console/t/:tenant/users/:user/delete': ['user-delete'],
  '/console/t/:tenant/users/:user/log-in-as': ['user-log-in-as'],
  '/console/t/:tenant/keys': ['tenant-keys'],
  '/console/t/:tenant/keys/new': ['tenant-key-new'],
  '/console/t/:tenant/keys/:key/withdraw': [
    { name: 'tenant-key-withdraw', path: '/console/t/:tenant/keys/:own/withdraw' },
  ],
  '/console/t/:tenant/outbox': [
    'outbox',
    { name: 'outbox-none', path: '/console/t/:empty/outbox' },
  ],
  '/console/t/:tenant/audit': ['tenant-audit'],
}

/** Asks for the page that says what changes: the color, and in two more sections. */
async function changeTheLook(page: Page): Promise<void> {
  await page.locator('#latchkey_brand_color').fill('#ffd400')
  await page.locator('#allow_signups').uncheck()
  await page.locator('#remember_login_seconds').fill('3600')
  await page.locator('.chosen button').click()
  await seeFrames(page)
}

/** Asks for the page that shows a logo before it is saved. */
async function chooseLogo(page: Page): Promise<void> {
  const file = { name: 'logo.png', mimeType: 'image/png', buffer: pngOf(220, 60) }
  await page.locator('#file').setInputFiles(file)
  await page.locator('form[enctype] button').click()
  await seeFrames(page)
}

/** Saves a logo, and shows its page. It stays for the pages after it. */
async function saveLogo(page: Page): Promise<void> {
  await chooseLogo(page)
  await page.locator('form.actions button').click()
  await seeFrames(page)
}

async function seeFrames(page: Page): Promise<void> {
  for (const frame of await page.locator('iframe').all()) {
    await frame.contentFrame().getByRole('heading').waitFor()
    await frame.scrollIntoViewIfNeeded()
  }
}

/** Asks for the page that shows texts in messages and on pages. */
async function changeTexts(page: Page): Promise<void> {
  await page.locator('#mail_reset_subject').fill('{company}: choose a new password')
  await page.locator('#mail_reset_text').fill('Press the button. It works for {duration}.')
  await page.locator('#login_title').fill('Welcome to our club')
  await page.locator('#login_text').fill('For members, and for those who will be.')
  await page.locator('main form[method=post] > button').click()
  for (const frame of await page.locator('iframe').all()) {
    await frame.contentFrame().getByRole('heading').first().waitFor()
    await frame.scrollIntoViewIfNeeded()
  }
}

/** Pages that are not in the table, or that an operator sees after pressing a button. */
const others: readonly Entry[] = [
  { name: 'not-found', path: '/console/nothing' },
  { name: 'not-permitted-method', path: '/console/t/:tenant/users/:user/enable' },
  { name: 'link-expired', path: '/console/invitation?token=gone' },
]

/** Lists whose rows have names: they are looked at with long ones in every run. */
const lists = new Set(['tenants', 'users', 'applications', 'outbox', 'audit'])

/** Pages whose accessibility tree is compared with the stored one. */
const spoken = new Set([
  'overview',
  'tenants',
  'users',
  'user-edit',
  'keys',
  'settings',
  'not-found',
])

const pages = consoleRoutes
  .filter(({ method, path }) => method === 'GET' && !path.endsWith('/export'))
  .map(({ path }) => path)

const entries = [...Object.entries(gallery), ...[['', others] as const]].flatMap(([route, list]) =>
  list.map((entry) => (typeof entry === 'string' ? { name: entry, path: route } : entry)),
) satisfies Exclude<Entry, string>[]

let chromium: Awaited<ReturnType<typeof startChromium>>
let running: ListeningConsole
let long: ListeningConsole
let ids: Ids
let longIds: Ids
const data = mkdtempSync(join(tmpdir(), 'latchkey-gallery-'))
const windows: Record<string, Page> = {}

beforeAll(async () => {
  chromium = await startChromium()
  running = await listenWithConsole({ data })
  ids = await fillConsole(running.service)
  windows.desktop = await chromium.open()
  await running.enter(windows.desktop, { email: 'ada@example.com', role: 'owner' })
  const tenant = `${running.url}${at('/console/t/:tenant')}`
  // Pages of imports are not among those of every run, and take longer to make than all others to look at.
  if (isFullGallery) ids = { ...ids, ...(await fillImports(windows.desktop, tenant, data)) }
  const storageState = await windows.desktop.context().storageState()
  windows.phone = await chromium.open({ storageState, colorScheme: 'dark' })
  windows.german = await chromium.open({ storageState, locale: 'de-DE' })
  for (const page of Object.values(windows)) await loadOnce(page)
  const nowhere = { url: 'smtp://127.0.0.1:1', from: 'no-reply@acme.example' }
  long = await listenWithConsole({ mail: nowhere })
  longIds = await fillConsole(long.service, sayLong())
  const owner = await chromium.open()
  await long.enter(owner, { email: longAddress(0), role: 'owner' })
  await owner.goto(`${long.url}${at('/console/t/:tenant/users/:long', longIds)}`)
  await owner.getByRole('button', { name: 'Send', exact: true }).click()
  await owner.getByText('The message is on its way').waitFor()
  windows.long = await chromium.open({
    storageState: await owner.context().storageState(),
    locale: 'de-DE',
  })
})

afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await running[Symbol.asyncDispose]()
  await long[Symbol.asyncDispose]()
  rmSync(data, { recursive: true })
})

/** Makes every name of the data long, and every address and domain. */
function sayLong(): Say {
  let addresses = 1
  return (natural, field) => {
    if (field.endsWith('.email')) return longAddress(addresses++)
    if (field === 'tenant.domain') return longDomain()
    return /\.(\w*name|company|description)$/.test(field) ? LONG_NAME : natural
  }
}

/** The path with the ids of the data. */
function at(path: string, data: Ids = ids): string {
  return path.replace(/:(\w+)/g, (_, name: string) => {
    const id = data[name]
    if (!id) throw new Error(`Make an object for ":${name}" in gallery-data.ts, and return its id.`)
    return id
  })
}

/** Has pages of running jobs stay as they are while they are looked at. */
function loadOnce(page: Page): Promise<unknown> {
  return page.route(/[?&]job=/, async (route) => {
    // Only browsers know where "console.localhost" is.
    const { host, port, href } = new URL(route.request().url())
    const sent = { ...(await route.request().allHeaders()), host }
    const url = href.replace(host, `127.0.0.1:${port}`)
    const response = await route.fetch({ url, headers: sent })
    const { refresh: _, ...headers } = response.headers()
    await route.fulfill({ response, headers })
  })
}

/** Opens the page of an entry. */
async function open(page: Page, { path, act }: Exclude<Entry, string>): Promise<void> {
  await page.goto(running.url + at(path))
  await act?.(page)
}

/** Buttons, links and fields that are lower than 44 pixels (WCAG 2.2 §2.5.5). */
const small = (page: Page) =>
  page.evaluate(`[...document.querySelectorAll('button, a.button, summary, .pages a, input:not([type=checkbox], [type=radio], [type=hidden]), select')]
    .filter((target) => target.checkVisibility() && target.getBoundingClientRect().height < 43.9)
    .map((target) => target.outerHTML)`)

/** Tables of which a part is only seen after scrolling, and the pages of a tenant where the window is no phone. */
const cut = (page: Page) =>
  page.evaluate(`[...document.querySelectorAll(innerWidth > 768 ? '.scroll, .tabs ul' : '.scroll')]
    .filter((region) => region.scrollWidth > region.clientWidth + 1)
    .map((region) => region.getAttribute('aria-label') + ': ' + region.scrollWidth + ' of ' + region.clientWidth)`)

/** Elements that take the focus of the keyboard without showing it. */
async function unseenFocus(page: Page): Promise<string[]> {
  await page.keyboard.press('Tab')
  return page.evaluate(`[...document.querySelectorAll('main a[href], main button, main input:not([type=hidden]), main select, main summary, main textarea')]
    .filter((target) => target.checkVisibility() && !target.disabled)
    .slice(0, 40)
    .filter((target) => {
      target.focus({ focusVisible: true })
      const { outlineStyle, outlineWidth } = getComputedStyle(target)
      return outlineStyle === 'none' || parseFloat(outlineWidth) < 2
    })
    .map((target) => target.outerHTML)`) as Promise<string[]>
}

test('every page of the route table is in the gallery', () => {
  const missing = pages.filter((path) => !(path in gallery))
  const remedy = missing.map((path) => `  '${path}': ['a-name-for-its-picture'],`).join('\n')
  expect(missing, `Add to "gallery" in gallery.test.ts:\n${remedy}\n`).toEqual([])
  const gone = Object.keys(gallery).filter((path) => !pages.includes(path))
  expect(gone, 'Remove these paths from "gallery": no route has them.').toEqual([])
})

test.each(entries.filter(({ name }) => isFullGallery || spoken.has(name)))(
  'axe finds nothing wrong with the page "$name" of the console in light colors on a desktop, and nothing is cut or overflows',
  async (entry) => {
    const { name } = entry
    const page = windows.desktop as Page
    await page.setViewportSize(sizes.desktop)
    await open(page, entry)
    expect(await violationsOf(page)).toEqual([])
    expect(await overflows(page)).toBe(false)
    expect(await cut(page)).toEqual([])
    await keepPicture(page, `console-${name}-desktop`)
    expect(await unseenFocus(page)).toEqual([])
    if (spoken.has(name)) await compareTree(page, `console-${name}`)
    if (isFullGallery) expect(await faultsWhenAdapted(page)).toEqual([])
    // The narrowest window that still has the navigation beside the page, and those up to the first with whole tables.
    for (const width of [800, 1025, 1279]) {
      await page.setViewportSize({ width, height: 900 })
      expect(await cut(page)).toEqual([])
      expect(await overflows(page)).toBe(false)
    }
    await page.setViewportSize(sizes.narrowest)
    expect(await overflows(page)).toBe(false)
  },
)

if (isFullGallery) {
  test.each(entries)(
    'axe finds nothing wrong with the page "$name" of the console in dark colors on a phone, and nothing is cut or overflows',
    async (entry) => {
      const { name } = entry
      const page = windows.phone as Page
      await page.setViewportSize({ width: 360, height: 780 })
      await open(page, entry)
      // The narrow page is looked at again for its colors alone.
      expect(await violationsOf(page, true)).toEqual([])
      expect(await overflows(page)).toBe(false)
      expect(await cut(page)).toEqual([])
      await keepPicture(page, `console-${name}-phone`)
      expect(await small(page)).toEqual([])
      await page.setViewportSize(sizes.narrowest)
      expect(await overflows(page)).toBe(false)
    },
  )

  test.each(entries)(
    'axe finds nothing wrong with the page "$name" of the console in German, and nothing is cut or overflows, at 1280 or at 390 pixels',
    (entry) => lookInGerman(windows.german as Page, entry, running.url + at(entry.path), 'german'),
  )
}

/**
 * Imports take longer to make than all other pages to look at, so there are none with long names. A logo has no name, and to save one
 * asks for a new login.
 */
const named = entries.filter(({ name, path }) => !/[?&]job=/.test(path) && !name.startsWith('logo'))

test.each(named.filter(({ name }) => isFullGallery || lists.has(name)))(
  'axe finds nothing wrong with the page "$name" of the console in German where names are long, and nothing is cut or overflows, at 1280 or at 390 pixels',
  (entry) => lookInGerman(windows.long as Page, entry, long.url + at(entry.path, longIds), 'long'),
)

/** Looks at a page in German, whose words are longer, on a desktop and on a phone. */
async function lookInGerman(
  page: Page,
  { name, act }: Exclude<Entry, string>,
  url: string,
  names: string,
): Promise<void> {
  for (const device of ['desktop', 'phone'] as const) {
    await page.setViewportSize(sizes[device])
    await page.goto(url)
    await act?.(page)
    expect(await page.getAttribute('html', 'lang')).toBe('de')
    expect(await violationsOf(page)).toEqual([])
    expect(await overflows(page)).toBe(false)
    expect(await cut(page)).toEqual([])
    await keepPicture(page, `console-${name}-${names}-${device}`)
  }
}

test('the navigation of the console opens on a phone without JavaScript', async () => {
  const storageState = await (windows.desktop as Page).context().storageState()
  const viewport = { width: 360, height: 780 }
  const page = await chromium.open({ storageState, viewport, javaScriptEnabled: false })
  await page.goto(`${running.url}/console`)
  expect(await page.getByRole('link', { name: 'API keys', exact: true }).count()).toBe(0)
  await page.getByText('Menu', { exact: true }).click()
  await keepPicture(page, 'console-menu-phone-light')
  await page.getByRole('link', { name: 'API keys', exact: true }).click()
  await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor()
  await page.context().close()
})
