// Asks the browser for a passkey or security key and sends the answer with the form. Without it the pages
// offer their other ways. A browser that knows no keys gets a note where a page would have no form.
;(() => {
  if (!window.PublicKeyCredential || !navigator.credentials) {
    for (const note of document.querySelectorAll('[data-no-keys]')) note.hidden = false
    return
  }
  const MEMBERS = [
    'clientDataJSON',
    'attestationObject',
    'authenticatorData',
    'signature',
    'userHandle',
  ]
  let waiting = new AbortController()

  const toBytes = (text) =>
    Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (char) => char.charCodeAt(0))

  const toText = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer)))
      .replace(/\+/g, '-')
      .replace(/\//g, '_')
      .replace(/=+$/, '')

  const withBytes = (keys = []) => keys.map((key) => ({ ...key, id: toBytes(key.id) }))

  function optionsOf(element) {
    const { user, ...options } = JSON.parse(element.dataset.options)
    return {
      ...options,
      challenge: toBytes(options.challenge),
      allowCredentials: withBytes(options.allowCredentials),
      excludeCredentials: withBytes(options.excludeCredentials),
      ...(user && { user: { ...user, id: toBytes(user.id) } }),
    }
  }

  // Not by `toJSON`: the keys of some password managers have none.
  function answerOf(credential) {
    const { rawId, response } = credential
    const answer = {}
    for (const name of MEMBERS) {
      if (response[name]) answer[name] = toText(response[name])
    }
    if (response.getTransports) answer.transports = response.getTransports()
    const { credProps } = credential.getClientExtensionResults()
    const clientExtensionResults = credProps ? { credProps } : {}
    const id = toText(rawId)
    return { id, rawId: id, type: 'public-key', response: answer, clientExtensionResults }
  }

  function send(form, credential) {
    form.elements.credential.value = JSON.stringify(answerOf(credential))
    form.submit()
  }

  function tell(form, name) {
    for (const text of form.querySelectorAll('[data-problem]')) text.hidden = true
    const known = form.querySelector(`[data-problem="${name}"]`)
    const text = known || form.querySelector('[data-problem=""]')
    text.hidden = false
  }

  async function ask(form, button) {
    waiting.abort()
    waiting = new AbortController()
    const { signal } = waiting
    try {
      const request = { publicKey: optionsOf(button), signal }
      const isNew = form.dataset.key === 'create'
      const credential = await navigator.credentials[isNew ? 'create' : 'get'](request)
      if (form.elements.use) form.elements.use.value = button.value
      send(form, credential)
    } catch (error) {
      // The page's own question has made room for a newer one.
      if (!signal.aborted) tell(form, error.name)
    }
  }

  // Browsers offer passkeys where the address is typed.
  async function offer(form) {
    const canOffer = PublicKeyCredential.isConditionalMediationAvailable
    if (!canOffer || !(await PublicKeyCredential.isConditionalMediationAvailable())) return
    const { signal } = waiting
    const button = form.querySelector('[data-options]')
    try {
      const publicKey = optionsOf(button)
      send(form, await navigator.credentials.get({ publicKey, mediation: 'conditional', signal }))
    } catch {
      // The button is still there.
    }
  }

  for (const form of document.querySelectorAll('form[data-key]')) {
    for (const button of form.querySelectorAll('[data-options]')) {
      button.addEventListener('click', () => ask(form, button))
    }
    form.hidden = false
    if (form.dataset.offer !== undefined) void offer(form)
  }

  for (const { dataset } of document.querySelectorAll('[data-signal]')) {
    const { name, ...news } = JSON.parse(dataset.signal)
    if (PublicKeyCredential[name]) PublicKeyCredential[name](news).catch(() => {})
  }
})()
