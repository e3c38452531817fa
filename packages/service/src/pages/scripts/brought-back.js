// Asks for the page again when the browser brings it back as it was: the login may be finished, or the user logged out.
window.addEventListener('pageshow', (event) => {
  // Not reload(): a page that answers a form would ask whether to send it once more.
  if (event.persisted) location.replace(location.href)
})
