import { createAuth } from '@latchkey/nextjs'

export const dynamic = 'force-static'

const auth = createAuth()

export default async function Home() {
  const user = await auth.requireUser()
  return <p>{String(user.email)}</p>
}
