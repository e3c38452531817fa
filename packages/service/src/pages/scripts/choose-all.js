// A box that chooses all rows of a list. Without it, each row is chosen by its own.
for (const all of document.querySelectorAll('[data-all]')) {
  const boxes = [...document.getElementsByName(all.getAttribute('data-all'))]

  function show() {
    const chosen = boxes.filter((box) => box.checked).length
    all.checked = chosen === boxes.length
    all.indeterminate = chosen > 0 && chosen < boxes.length
  }

  all.addEventListener('change', () => {
    for (const box of boxes) box.checked = all.checked
  })
  for (const box of boxes) box.addEventListener('change', show)
  all.hidden = false
  // The browser keeps boxes when it comes back to the page.
  show()
}
