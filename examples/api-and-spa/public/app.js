/** The element with an id. */
const at = (id) => document.getElementById(id)

/** Calls the API. On 401 the page shows a link to log in, which returns to this page. */
async function call(path, body) {
  const response = await fetch(path, {
    method: body ? 'POST' : 'GET',
    headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const answer = await response.json()
  if (response.status === 401) {
    const login = new URL(answer.loginUrl, location.href)
    login.searchParams.set('returnTo', location.pathname)
    at('login').href = login.pathname + login.search
    showUser(undefined)
  }
  showVerdict(response, answer)
  return response.ok ? answer : undefined
}

function showVerdict(response, answer) {
  const verdict = at('verdict')
  verdict.hidden = false
  verdict.classList.toggle('no', !response.ok)
  verdict.querySelector('strong').textContent = response.ok
    ? 'The API answered.'
    : 'The API refused.'
  const details = response.ok ? '' : `${answer.title}${answer.code ? ` (${answer.code})` : ''}`
  verdict.querySelector('span').textContent = `${response.status} ${details}`
}

function showUser(user) {
  at('login').hidden = Boolean(user)
  for (const id of ['logout', 'user', 'add']) at(id).hidden = !user
  if (!user) return showNotes([])
  const words = (user.name ?? user.email).split(/\s+/).slice(0, 2)
  at('user').querySelector('.initials').textContent = words.map(([first]) => first).join('')
  at('user').querySelector('strong').textContent = user.name ?? user.email
  at('user').querySelector('small').textContent = user.email
}

function showNotes(notes) {
  const items = notes.map((note) => {
    const item = document.createElement('li')
    item.textContent = note
    return item
  })
  at('notes').replaceChildren(...items)
}

async function addNote() {
  const answer = await call('/api/notes', { text: at('text').value })
  if (!answer) return
  showNotes(answer.notes)
  at('add').reset()
}

at('add').addEventListener('submit', (event) => {
  event.preventDefault()
  void addNote()
})

/** Shows notes that other tabs and programs add, and that the session has ended: also by a logout elsewhere. */
function listen() {
  const events = new EventSource('/api/events')
  events.addEventListener('message', ({ data }) => showNotes(JSON.parse(data)))
  events.addEventListener('ended', () => {
    events.close()
    void call('/api/notes')
  })
}

const session = await (await fetch('/session')).json()
showUser(session.user)
const answer = await call('/api/notes')
if (answer) {
  showNotes(answer.notes)
  listen()
}
