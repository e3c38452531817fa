// #region page
/** The logged-in user, or undefined. */
export async function currentUser() {
  const { user } = await (await fetch('/session')).json()
  return user ?? undefined
}

/** Calls the API. If the session has expired, the user logs in and returns to this page. */
export async function callApi(path) {
  const response = await fetch(path, { headers: { accept: 'application/json' } })
  if (response.status !== 401) return response.json()
  const login = new URL((await response.json()).loginUrl, location.href)
  login.searchParams.set('returnTo', location.pathname + location.search)
  location.assign(login)
}
// #endregion
