import { styleText } from 'node:util'
import type { DemoUser } from './demo-service.ts'

/** The facts that `start` prints. */
export interface Announcement {
  readonly title: string
  readonly url: string
  /** When the start began, by `performance.now()`. */
  readonly begunAt: number
  readonly users: readonly DemoUser[]
  /** More lines, of a name and a value. */
  readonly more: Readonly<Record<string, string>>
  readonly closing: string
}

/** Prints where everything is and how to log in. */
export function announce({ title, url, begunAt, users, more, closing }: Announcement): void {
  const seconds = ((performance.now() - begunAt) / 1000).toFixed(1)
  const column = (texts: readonly string[]): number =>
    Math.max(...texts.map(({ length }) => length)) + 2
  const email = column(users.map((user) => user.email))
  const password = column(users.map((user) => user.password))
  const name = column(Object.keys(more))
  const lines = [
    `${styleText('green', '✓')} ${title} is ready after ${seconds} s, at ${styleText('bold', url)}`,
    '',
    `${'Log in as'.padEnd(email)}with the password`,
    ...users.map(
      (user) =>
        user.email.padEnd(email) + user.password.padEnd(password) + styleText('dim', user.note),
    ),
    '',
    ...Object.entries(more).map(([key, value]) => key.padEnd(name) + value),
    '',
    closing,
  ]
  console.log(`\n${lines.map((line) => `  ${line}`.trimEnd()).join('\n')}\n`)
}
