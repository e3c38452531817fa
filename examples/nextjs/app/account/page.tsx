import { Suspense } from 'react'
import { auth } from '../../auth'

export default function Page() {
  return (
    <Suspense>
      <Account />
    </Suspense>
  )
}

async function Account() {
  // Visitors who aren't logged in are sent to log in, then returned to this page.
  const user = await auth.requireUser()
  return (
    <>
      <h1>Your account</h1>
      <p className="card">Logged in as {user.name ?? user.email}</p>
      <p>The guard let you in.</p>
    </>
  )
}
