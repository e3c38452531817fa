import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keepPicture, overflows, sizes, violationsOf } from '../../../../test/support/look.ts'
import { fillConsole, type Ids, nameOf, pageRoutes, pathWith } from './sample.ts'
import { type ServedConsole, serveConsole } from './served.ts'

/** The narrowest phone that a table must be readable on. */
const windows = { phone: { width: 360, height: 800 }, desktop: sizes.desktop }

let served: ServedConsole
let page: Page
let full: Ids
let empty: Ids

beforeAll(async () => {
  served = await serveConsole()
  page = await served.open()
  await served.logIn(page, { email: 'owner@example.com', role: 'owner' })
  const filled = await fillConsole(served)
  full = filled.full
  empty = filled.empty
}, 60_000)

afterAll(() => served[Symbol.asyncDispose]())

/** Looks at a page in every window, light and dark. */
async function lookAt(name: string, path: string): Promise<void> {
  for (const [device, viewport] of Object.entries(windows)) {
    await page.setViewportSize(viewport)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      if (device === 'phone' && colorScheme === 'light') {
        const answer = await page.goto(served.url + path)
        expect(`${path} ${answer?.status()}`).toBe(`${path} 200`)
      }
      await keepPicture(page, `console-${name}-${device}-${colorScheme}`)
      const isSeen = device === 'desktop' && colorScheme === 'dark'
      if (!isSeen) expect(await violationsOf(page, colorScheme === 'dark')).toEqual([])
    }
    expect(await overflows(page)).toBe(false)
  }
}

describe('axe finds nothing wrong with a page of the console, light or dark, on a phone or a desktop, and it is no wider than the window', () => {
  test.each(pageRoutes.map(({ path }) => path))('%s', { timeout: 60_000 }, async (path) => {
    await lookAt(nameOf(path), pathWith(path, full))
  })

  const ofTenant = pageRoutes.filter(({ path }) => /^\/console\/t\/:tenant[^:]*$/.test(path))
  test.each(ofTenant.map(({ path }) => path))(
    '%s, of an empty tenant',
    { timeout: 60_000 },
    async (path) => {
      await lookAt(`${nameOf(path)}-empty`, pathWith(path, empty))
    },
  )
})

test('a page without data for a part of its path is refused with the place where it belongs', () => {
  expect(() => pathWith('/console/t/:tenant/webhooks/:webhook', { tenant: 'ten_x' })).toThrow(
    'The route /console/t/:tenant/webhooks/:webhook has the part ":webhook", for which there is no data.',
  )
})
