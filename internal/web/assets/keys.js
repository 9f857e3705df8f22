// Presses the button or follows the link that names a key, and moves through lists. data-key has one key, several with "," between
// ("n,j"), or keys one after the other ("g u"). Everything works without it.
'use strict';
(() => {
  const help = document.getElementById('help')
  const button = document.getElementById('keys')
  if (help && button) {
    button.hidden = false
    button.addEventListener('click', () => help.showModal())
    help.querySelector('.close').addEventListener('click', () => help.close())
    help.addEventListener('click', event => { if (event.target === help) help.close() }) // beside it
  }

  const rows = [...document.querySelectorAll('[data-row]')]
  const here = () => document.querySelector('[data-row].here')
  const point = row => {
    here()?.classList.remove('here')
    row?.classList.add('here')
  }
  const move = by => {
    const i = rows.indexOf(here())
    const row = rows[i < 0 ? (by > 0 ? 0 : rows.length - 1) : i + by]
    if (!row) return
    point(row)
    row.querySelector('h3 a').focus({ preventScroll: true })
    row.scrollIntoView({ block: 'nearest' })
  }
  document.addEventListener('focusin', event => {
    const row = event.target.closest('[data-row]')
    if (row) point(row)
  })
  document.addEventListener('click', event => {
    const row = event.target.closest('[data-row]')
    if (row) point(row)
  })
  if (location.hash.startsWith('#e')) { // back from the article
    const row = rows.find(row => '#' + row.id === location.hash)
    if (row) point(row)
  }

  const named = (typed, among) => [...among.querySelectorAll('[data-key]')].find(element => element.dataset.key.split(',').includes(typed))
  const press = element => {
    if (element.matches('input')) {
      element.focus()
      element.select()
    } else element.click()
    return true
  }
  const does = typed => {
    if (typed === '?' && help) return help.showModal(), true
    if (rows.length && (typed === 'j' || typed === 'n')) return move(1), true
    if (rows.length && (typed === 'k' || typed === 'p')) return move(-1), true
    const mine = here() && named(typed, here())
    if (mine) return press(mine)
    const element = [...document.querySelectorAll('[data-key]')].find(e => e.dataset.key.split(',').includes(typed) && !e.closest('[data-row]'))
    if (element) return press(element)
    if (typed === 'R' && document.body) return location.reload(), true
    return false
  }
  const begins = typed => [...document.querySelectorAll('[data-key]')].some(e => e.dataset.key.split(',').some(key => key.startsWith(typed + ' ')))

  const patience = 1500 // milliseconds between the keys of "g u"
  let begun = '', since = 0
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
    if (event.target.closest('input, select, textarea, [contenteditable], audio, video')) return
    if (help?.open) {
      if (event.key === '?') help.close()
      return
    }
    if (event.repeat && !'jknp'.includes(event.key)) return
    const late = event.timeStamp - since > patience
    const typed = begun && !late ? begun + ' ' + event.key : event.key
    begun = ''
    if (does(typed)) return event.preventDefault()
    if (!begins(typed)) return
    begun = typed
    since = event.timeStamp
    event.preventDefault()
  })

  // Where a key leads to a place on a page, what stands there has the focus.
  const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1))
  if (target && target.matches('input')) target.focus()
  if (target && target.id === 'folders') {
    target.closest('details').open = true
    target.querySelector('a').focus()
  }
})()
