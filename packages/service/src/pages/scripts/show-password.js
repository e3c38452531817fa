// Lets people read the password that they are entering. Without it the button is not there.
;(() => {
  for (const button of document.querySelectorAll('[data-show-password]')) {
    const field = document.getElementById(button.getAttribute('aria-controls'))

    function show(isShown) {
      field.type = isShown ? 'text' : 'password'
      button.setAttribute('aria-pressed', String(isShown))
    }

    button.addEventListener('click', () => show(field.type === 'password'))
    // A browser remembers what is sent from a text field.
    field.form.addEventListener('submit', () => show(false))
    // Also on a page that the browser brings back.
    window.addEventListener('pageshow', () => show(false))
    button.hidden = false
  }
})()
