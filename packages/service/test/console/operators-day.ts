import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type Engine,
  type EngineName,
  type Profile,
  type Tab,
  until,
} from '../../../../test/support/engines/engine.ts'
import { limit } from '../../../../test/support/limits.ts'
import { type ListeningConsole, listenWithConsole } from './chromium.ts'
import { fillConsole, type Ids } from './gallery-data.ts'

const OPERATOR = 'ada@example.com'

/** The day of an operator: one tab, in which pages are counted. */
interface Day {
  tab: Tab
  ids: Ids
  mailed: string[]
  /** The actions of the audit log of the tenant, the newest first. */
  noted(): Promise<string[]>
  /** Opens a page of the console. */
  go(path: string): Promise<void>
  /** Waits for a text on a page, which counts. A form that leads back to its page is the same page. */
  see(text: string | RegExp): Promise<void>
  /** Opens the users of the tenant, and finds one by half an address. */
  findUser(half: string, address: string): Promise<void>
}

const tasks: Readonly<Record<string, (day: Day) => Promise<void>>> = {
  'find a user by half an address': async ({ go, see, tab }) => {
    await go('/console/tenants')
    await see('Acme Garden Supplies')
    await tab.press('Acme Garden Supplies')
    await see('Refused logins')
    await tab.press('Users')
    await see('All users')
    await tab.fill('Part of an address', 'grace.hop')
    await tab.press('Search')
    await see('grace.hopper@example.com')
  },
  'see why a user cannot log in': async ({ findUser, see }) => {
    await findUser('maria@', 'maria@example.com')
    await see(/can’t log in|cannot log in/)
  },
  'send a user her mail again': async ({ findUser, see, tab, mailed }) => {
    await findUser('grace.hop', 'grace.hopper@example.com')
    await tab.press('Send')
    await see('The message is on its way')
    await expect.poll(() => mailed).toContain('grace.hopper@example.com')
  },
  'remove a lost phone': async ({ findUser, see, tab }) => {
    await findUser('grace.hop', 'grace.hopper@example.com')
    await see('Authenticator app')
    await tab.press('Remove…')
    await see('Remove it')
    await tab.press('Remove it')
    await see('Removed.')
    expect(await tab.text()).not.toContain('Authenticator app')
  },
  'make an API key': async ({ go, see, tab }) => {
    await go('/console/keys')
    await tab.press('Make a key')
    await see('Only these')
    await tab.fill('Name', 'Deployment')
    await tab.press('Acme Garden Supplies login.acme.example')
    await tab.press('Make the key')
    await see('is shown once')
  },
  'add a redirect URL': async ({ go, see, tab, ids }) => {
    await go(`/console/t/${ids.tenant}/applications`)
    await see('Garden Shop')
    await tab.press('Garden Shop')
    await see('Redirect URLs')
    const urls = ['https://shop-0.acme.example/callback', 'https://new.acme.example/callback']
    await tab.fill('Redirect URLs', urls.join('\n'))
    await tab.press('Save')
    await see('Saved.')
  },
  'read who disabled a user': async ({ findUser, see, tab }) => {
    await findUser('zoe@', 'zoe@example.com')
    await tab.press('Disable…')
    await see('Disable the user')
    await tab.press('Disable the user')
    await see('Every session of this user has ended')
    await see(/ada@example\.com disabled the user/)
  },
  'rotate a client secret': async ({ go, see, tab, ids }) => {
    await go(`/console/t/${ids.tenant}/applications`)
    await see('Garden Shop')
    await tab.press('Garden Shop')
    await see('Redirect URLs')
    await tab.press('Rotate the secret…')
    await see('Make a new secret')
    await tab.press('Make a new secret')
    await see('has a new secret')
  },
  'import users from a file, after a look at what would happen': async ({ go, see, tab, ids }) => {
    await go(`/console/t/${ids.tenant}/users`)
    await see('All users')
    await tab.press('Import…')
    await see('Lines, to paste')
    await tab.fill('Lines, to paste', 'email,name\nnew@example.com,New User\nnobody,No Address')
    await tab.press('Go on: look at the columns')
    await see('New User')
    await tab.press('Check the file')
    await see('Would be created')
    await tab.press('Import them')
    await see('The refused rows as CSV')
  },
  'invite an operator': async ({ go, see, tab, mailed }) => {
    await go('/console/operators')
    await see('What the roles may do')
    await tab.press('Invite an operator')
    await see('Language of the message')
    await tab.fill('Email address', 'carol@example.com')
    await tab.press('Send the invitation')
    await see('The invitation is on its way by mail')
    await expect.poll(() => mailed).toContain('carol@example.com')
  },
  'create a tenant': async ({ go, see, tab }) => {
    await go('/console/tenants')
    await see('Acme Garden Supplies')
    await tab.press('Create a tenant')
    await see('Where its users log in')
    await tab.fill('Name', 'Umbrella')
    await tab.fill('Domain', 'login.umbrella.example')
    await tab.press('Create the tenant')
    await see('Created.')
  },
  'register an application': async ({ go, see, tab, ids }) => {
    await go(`/console/t/${ids.tenant}/applications`)
    await see('Garden Shop')
    await tab.press('Register an application')
    await see('Logout URLs')
    await tab.fill('Name', 'Newsletter')
    await tab.fill('Redirect URLs', 'https://news.acme.example/callback')
    await tab.press('Register the application')
    await see('Created.')
  },
  'create a user': async ({ go, see, tab, ids, mailed }) => {
    await go(`/console/t/${ids.tenant}/users`)
    await see('All users')
    await tab.press('Create a user')
    await see('The address is known to be')
    await tab.fill('Email address', 'newcomer@example.com')
    await tab.press('Create the user')
    await see('Created, and an invitation is on its way.')
    await expect.poll(() => mailed).toContain('newcomer@example.com')
  },
  'find why a user cannot log in, and let the user in again': async ({ findUser, see, tab }) => {
    await findUser('alan.turing49', 'alan.turing49@example.com')
    await see(/can’t log in|cannot log in/)
    await tab.press('Enable the user')
    await see('Enabled.')
  },
  'download the users': async ({ go, see, tab, ids, noted }) => {
    await go(`/console/t/${ids.tenant}/users`)
    await see('All users')
    await tab.press('Export as CSV')
    await expect.poll(noted).toContain('user.exported')
  },
  'read in the audit log who has changed an application': async ({ go, see, tab, ids }) => {
    await go(`/console/t/${ids.tenant}/audit`)
    await see('Action begins with')
    await tab.fill('Action begins with', 'application.create')
    await tab.press('Find')
    await see(/registered the application/)
  },
  'change the color of the login pages, after a look at them': async ({ go, see, tab, ids }) => {
    await go(`/console/t/${ids.tenant}/settings`)
    await see('Of buttons and links')
    await tab.fill('Color', '#7a1f5c')
    await tab.press('Review the change')
    await see('The login page then')
    await tab.press('Change it')
    await see('Saved.')
  },
}

/**
 * Lets an operator do every task in a browser without JavaScript, among so many users more.
 *
 * @param options - `missing`: the reason why it does not run here. `width`: that of a phone in pixels. Default: a desktop's.
 */
export function describeOperatorsDay(
  engineName: EngineName,
  start: () => Promise<Engine>,
  users: number,
  { missing, width }: { missing?: string | undefined; width?: number } = {},
): void {
  if (missing)
    process.stdout.write(`${engineName} ${missing}; the tasks of operators are left out.\n`)
  const where = width === undefined ? engineName : `${engineName} of ${width} pixels`
  describe.skipIf(missing)(`in ${where}, among ${users + 60} users`, () => {
    const open = new AsyncDisposableStack()
    const seen = new Set<string>()
    let running: ListeningConsole
    let day: Day

    beforeAll(async () => {
      const folder = open.adopt(mkdtempSync(join(tmpdir(), 'latchkey-day-')), (path) =>
        rmSync(path, { recursive: true }),
      )
      const mail = open.adopt(await startMailServer(), ({ close }) => close())
      const ids = await fill(folder, users)
      running = open.use(await listenWithConsole({ data: folder, mail: mail.options }))
      const engine = open.use(await start())
      const profile: Profile = open.use(await engine.open({ blocksScripts: true, width }))
      day = dayIn(await profile.newTab(), running, ids, mail.received, seen)
      await enter(day, running)
    }, limit(300))
    afterAll(() => open.disposeAsync())

    beforeEach(async () => {
      // Dangerous acts need a login of the last five minutes.
      await day.go('/console/confirm?to=/console')
      await until('page after the login', async () => {
        const text = await day.tab.text()
        return /Overview|Password/.test(text) ? text : undefined
      })
      if ((await day.tab.text()).includes('Password')) await logIn(day, running)
      seen.clear()
    })

    test.each(Object.entries(tasks))(
      'an operator can %s, in at most four pages and without JavaScript',
      async (name, task) => {
        await task(day)
        await keepPicture(day.tab, `day-${where.replace(/\W+/g, '-')}-${name.replace(/\W+/g, '-')}`)
        expect([...seen].length).toBeLessThanOrEqual(4)
      },
    )
  })
}

function dayIn(
  tab: Tab,
  { url, service }: ListeningConsole,
  ids: Ids,
  mailed: string[],
  seen: Set<string>,
): Day {
  const see = async (text: string | RegExp) => {
    await until(`text ${text} on the page`, async () => {
      const shown = await tab.text()
      return shown.match(text) ? shown : undefined
    })
    seen.add(new URL(await tab.address()).pathname)
  }
  const go = (path: string) => tab.open(url + path)
  return {
    ...{ tab, ids, mailed, go, see },
    noted: async () =>
      (await service.admin.audit({ tenantId: ids.tenant ?? '', limit: 10 })).map(
        ({ action }) => action,
      ),
    async findUser(half, address) {
      await go(`/console/t/${ids.tenant}/users`)
      await see('All users')
      await tab.fill('Part of an address', half)
      await tab.press('Search')
      await see(address)
      await tab.press(address)
      await see('Ways to log in')
    },
  }
}

/** Sets the password of an invited operator, who is logged in then. */
async function enter(day: Day, { service, password }: ListeningConsole): Promise<void> {
  const { token } = await service.admin.inviteOperator({ email: OPERATOR, role: 'owner' })
  await day.go(`/console/invitation?token=${token}`)
  await day.tab.fill('Password', password)
  await day.tab.press('Set the password')
  await day.see('Email address')
  await day.tab.fill('Email address', OPERATOR)
  await logIn(day, { password })
}

async function logIn(
  { tab, see }: Day,
  { password }: Pick<ListeningConsole, 'password'>,
): Promise<void> {
  await tab.fill('Password', password)
  await tab.press('Log in')
  await see('Overview')
}

/** A folder with the data of the gallery, and so many users more, who are older. */
async function fill(folder: string, users: number): Promise<Ids> {
  let ids: Ids
  {
    await using filled = await listenWithConsole({ data: folder })
    ids = await fillConsole(filled.service)
  }
  if (users === 0) return ids
  const database = new DatabaseSync(join(folder, 'data.db'))
  const email = `'user' || n || '@old.example'`
  database.exec(`insert into users (tenant_id, id, email, email_key, profile, metadata, disabled, verified_at,
      sessions_valid_after, created_at, updated_at, name_key, family_name_key, search_text, domain_key)
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${users})
    select '${ids.tenant}', printf('usr_%026d', n), ${email}, ${email}, '{}', '{}', n % 50 = 0, null,
      0, 1, 1, '', '', ${email}, 'old.example' from numbers;
    update counters set value = value + ${users} where scope = 'users:${ids.tenant}'`)
  database.close()
  return ids
}

/** Keeps a picture of the page in the folder that LATCHKEY_SCREENSHOTS names, if it does. */
async function keepPicture(tab: Tab, name: string): Promise<void> {
  const folder = process.env.LATCHKEY_SCREENSHOTS
  if (!folder) return
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, `${name}.png`), await tab.picture())
}

/** A mail server that takes every message. */
async function startMailServer() {
  const received: string[] = []
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo: ({ address }, _, callback) => {
      received.push(address)
      callback()
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    received,
    options: { url: `smtp://127.0.0.1:${port}`, from: 'no-reply@acme.example' },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
