// Presses the button or follows the link that names a key. Everything works without it.
'use strict';
document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return
  if (event.target.closest('input, select, textarea, [contenteditable]')) return
  for (const element of document.querySelectorAll('[data-key]')) {
    if (element.dataset.key !== event.key) continue
    event.preventDefault()
    element.click()
    return
  }
})
