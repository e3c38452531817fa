import type { Field } from './field.ts'

/** How many clients change the user at once. */
const CLIENTS = 8

interface Answer {
  id: string
  updated_at: string
  metadata: { n: string }
}

/**
 * Changes one user through all processes, by clients that each send one change after the other.
 *
 * @throws when a change is refused or lost, or when two have the same time.
 */
export async function changeOneUser(field: Field, count: number): Promise<void> {
  const { fetch, apiKey, tenant, url, cluster } = field
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const profile = { email: `changed-${crypto.randomUUID()}@example.com` }
  async function post(path: string, n: string): Promise<Answer> {
    const body = JSON.stringify({ profile, metadata: { n } })
    const answer = await fetch(`${url}${tenant}/users${path}`, { method: 'POST', headers, body })
    if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`)
    return (await answer.json()) as Answer
  }
  const { id } = await post('', 'created')
  const answers: Answer[] = []
  async function client(name: number): Promise<void> {
    for (let n = 0, last = ''; n < count / CLIENTS; n++) {
      const answer = await post(`/${id}`, `${name} ${n}`)
      if (answer.metadata.n !== `${name} ${n}`) throw new Error('An answer is of another change.')
      if (answer.updated_at <= last) throw new Error(`${answer.updated_at} is not after ${last}.`)
      last = answer.updated_at
      answers.push(answer)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, (_, name) => client(name)))

  const newest = answers.toSorted((a, b) => (a.updated_at < b.updated_at ? 1 : -1))[0]
  const read = await fetch(`${url}${tenant}/users/${id}`, { headers })
  const kept = (await read.json()) as Answer
  if (kept.updated_at !== newest?.updated_at || kept.metadata.n !== newest.metadata.n) {
    throw new Error(`Kept is ${JSON.stringify(kept)}, and not ${JSON.stringify(newest)}.`)
  }
  const times = new Set(answers.map(({ updated_at }) => updated_at)).size
  if (times !== count) throw new Error(`${count} changes have ${times} times.`)
  const [audited] = await cluster.database.query(
    `select count(*) as n from audit where target = '${id}' and action = 'user.update'`,
  )
  if (Number(audited?.n) !== count) throw new Error(`The audit log has ${audited?.n} changes.`)
}
