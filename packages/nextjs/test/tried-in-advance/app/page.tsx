import { auth } from '../auth.ts'

export default async function Home() {
  const user = await auth.requireUser()
  return <p>{String(user.email)}</p>
}
