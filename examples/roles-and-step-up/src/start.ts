import { people, runExample } from '@latchkey/example-shared'
import { createApp } from './app.ts'

const notes: Readonly<Record<string, string>> = {
  'ada@example.com': 'author and editor',
  'grace@example.com': 'author',
}

await runExample({
  title: 'Roles and step-up',
  createApp,
  users: people
    .filter(({ disabled }) => !disabled)
    .map((user) => ({ ...user, verified: true, note: notes[user.email] ?? 'no role' })),
})
