// Copies a text, or saves it as a file. Without it the buttons are not there, and the text can be selected.
;(() => {
  for (const group of document.querySelectorAll('[data-copy]')) {
    const source = document.getElementById(group.getAttribute('data-copy'))
    const lines = [...source.querySelectorAll('li')].map((line) => line.textContent.trim())
    const text = lines.length > 0 ? lines.join('\n') : source.textContent

    async function copy() {
      await navigator.clipboard.writeText(text)
      group.querySelector('[role="status"]').textContent = group.getAttribute('data-copied')
    }

    function save(name) {
      const link = document.createElement('a')
      link.href = URL.createObjectURL(new Blob([`${text}\n`], { type: 'text/plain' }))
      link.download = name
      link.click()
      URL.revokeObjectURL(link.href)
    }

    for (const button of group.querySelectorAll('button')) {
      const name = button.getAttribute('data-file')
      button.addEventListener('click', () => (name ? save(name) : copy()))
    }
    // A browser has a clipboard on pages over https and on this machine alone.
    group.hidden = !navigator.clipboard
  }
})()
