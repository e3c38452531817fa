import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Page } from 'playwright-core'
import type { Ids } from './gallery-data.ts'

const FILE = `email,first_name,last_name,password,plan,email_verified
eve@example.com,Eve,Adams,correct horse battery,gold,true
EVE@example.com,Eve,Again,,,
nobody,No,Body,,,
grace.hopper@example.com,Grace,Hopper,,,
m.freifrau-von-gartenbedarf.beispiel@grosshandelsgesellschaft.example,Maximiliane,Freifrau von Gartenbedarfsgroßhandelsgesellschaft,,,maybe
zoe.adams@example.com,Zoë,Adams,a phrase of twenty five,,
`

const FIREBASE = `hash_config {
  algorithm: SCRYPT,
  base64_signer_key: jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,
  base64_salt_separator: Bw==,
  rounds: 8,
  mem_cost: 14,
}`

/** Uploads files in a window that has just logged in, and leaves an import in each of its states. */
export async function fillImports(page: Page, tenant: string, folder: string): Promise<Ids> {
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const upload = async (text: string): Promise<string> => {
    await page.goto(`${tenant}/users/import`)
    await page.getByLabel('Lines, to paste').fill(text)
    await press('Go on: look at the columns')
    await page.getByRole('heading', { name: 'Import users: the columns' }).waitFor()
    return new URL(page.url()).searchParams.get('job') ?? ''
  }
  const checked = async (): Promise<string> => {
    const job = await upload(FILE)
    await press('Check the file')
    await page.getByRole('heading', { name: 'Import users: what would happen' }).waitFor()
    return job
  }
  const jobs = { running: await checked(), ended: await checked(), checked: await checked() }
  const done = await checked()
  await press('Import them')
  await page.getByRole('heading', { name: 'Import users: done' }).waitFor()
  // Zoë and Eve are there from the import that is done, and Zoë was changed since.
  await page.goto(`${tenant}/users?search=zoe.adams`)
  await page.getByRole('link', { name: 'zoe.adams@example.com' }).first().click()
  await page.getByRole('link', { name: 'Edit…' }).click()
  await page.locator('#name').fill('Zoë A.')
  await press('Show what changes')
  await press('Change it')
  const update = await upload(FILE.replace('Eve,Adams', 'Eve,Newer').replace('Zoë,Adams', 'Zoë,B.'))
  await page.getByLabel('Users whose address is there already').selectOption('update')
  await page.getByText('Hashes of Firebase').click()
  await page.getByLabel('Hash parameters of Firebase').fill(FIREBASE)
  await press('Check the file')
  await page.getByRole('heading', { name: 'Import users: what would happen' }).waitFor()
  const columnless = await upload('login,secret\nola,a phrase of twenty five\n')
  await press('Check the file')
  await page.getByText('No column has email addresses').waitFor()
  const columns = await upload(FILE)
  // The users that it finds are enabled already, so the lists of the other pictures stay as they are.
  await page.goto(`${tenant}/users/bulk?act=enable&of=all&search=zoe`)
  await press('Enable')
  await page.getByText('done', { exact: true }).waitFor()
  const enabled = new URL(page.url()).searchParams.get('job') ?? ''
  // One is held for long, and no worker can call it back; the other has ended.
  const database = new DatabaseSync(join(folder, 'data.db'))
  const change = database.prepare(
    `update jobs set state = ?, held_until = 9e15, total = 200000, progress = json_patch(progress, ?) where id = ?`,
  )
  const counts = { created: 83_417, existing: 12, refused: 1_309 }
  change.run('stopped', JSON.stringify({ phase: 'unreadable', ...counts }), jobs.ended)
  database.exec('begin immediate')
  change.run('running', JSON.stringify({ phase: 'importing', ...counts }), jobs.running)
  database.exec(
    `create trigger still before update on jobs when old.id = '${jobs.running}' begin select raise(ignore); end`,
  )
  database.exec('commit')
  database.close()
  return { ...jobs, done, columnless, columns, update, enabled }
}
