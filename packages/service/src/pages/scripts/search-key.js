// Ctrl+K or ⌘K leads to the search of the console, or into its field. Without it, the page “Search” is in the menu.
window.addEventListener('keydown', (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return
  if (event.key.toLowerCase() !== 'k') return
  const field = document.querySelector('form[action="/console/search"] [name="q"]')
  const link = document.querySelector('a[href^="/console/search"]')
  if (!field && !link) return
  event.preventDefault()
  if (field) {
    field.focus()
    field.select()
  } else location.assign(link.href)
})
