import { Suspense } from 'react'
import { auth } from '../auth'

export default function Page() {
  return (
    <>
      <h1>Welcome</h1>
      <Suspense>
        <LogInOrOut />
      </Suspense>
    </>
  )
}

async function LogInOrOut() {
  const { isAuthenticated } = await auth.getAuth()
  return isAuthenticated ? (
    <form method="post" action="/logout">
      <button type="submit">Log out</button>
    </form>
  ) : (
    <a href="/login">Log in</a>
  )
}
