import { auth } from '../auth'

export default async function Home() {
  const { isAuthenticated } = await auth.getAuth()
  return (
    <>
      <h1>Welcome</h1>
      {isAuthenticated ? (
        <form method="post" action="/logout">
          <button type="submit">Log out</button>
        </form>
      ) : (
        <a href="/login">Log in</a>
      )}
    </>
  )
}
