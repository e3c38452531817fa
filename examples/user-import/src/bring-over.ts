import { readFile } from 'node:fs/promises'
import type { ImportResult, ManagementClient } from '@latchkey/management'
import { parse } from 'csv-parse/sync'
import type { ShopDatabase } from './database.ts'

/** A line of the old table. */
interface OldUser {
  readonly customer_no: string
  readonly email: string
  readonly name: string
  readonly verified: string
  readonly algorithm: 'md5' | 'bcrypt'
  readonly password_hash: string
}

/** The result of importing one line. */
export interface BroughtOver {
  readonly email: string
  readonly customerId: number
  readonly userId: string | undefined
  readonly problem: string | undefined
}

/**
 * Brings the users of the old table over, with the hashes of their passwords, and keeps their new ids as
 * foreign keys. It may run again: who is there already is found, not created.
 *
 * A table of millions is better imported by `latchkey users import`, which notes how far it came.
 */
export async function bringOver(
  file: string,
  users: ReturnType<ManagementClient['users']>,
  shop: ShopDatabase,
): Promise<BroughtOver[]> {
  const rows: OldUser[] = parse(await readFile(file), { columns: true, skip_empty_lines: true })
  const report: BroughtOver[] = []
  const results = users.import(rows.map(asUser))
  for (const { customer_no, email } of rows) {
    // One result for each, in their order.
    const result = (await results.next()).value as ImportResult
    const userId = userIdOf(result)
    const customerId = Number(customer_no)
    if (userId !== undefined) shop.link(customerId, userId)
    const problem = result.status === 'refused' ? result.detail : undefined
    report.push({ email, customerId, userId, problem })
  }
  return report
}

function asUser({ email, name, verified, algorithm, password_hash }: OldUser) {
  return {
    profile: { email, name, email_verified: verified === 'yes' },
    password: { alg: algorithm, hash: password_hash },
  }
}

/** Also who was created without their password has an id: they have it reset by mail. */
function userIdOf(result: ImportResult): string | undefined {
  return result.status === 'existing' ? result.user?.id : result.id
}
