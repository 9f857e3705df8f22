// Reads and stars without loading the page again, and keeps what is unread up to date, without moving anything on the page.
// Everything works without it.
'use strict';
(() => {
  const at = document.documentElement.dataset.at
  const pill = document.getElementById('live')
  const icon = document.getElementById('icon')
  const whole = document.querySelector('.side [data-count="all"]')
  const said = n => n ? n.toLocaleString('en') : ''
  // The title as it is without the number that the server put before it.
  const prefix = whole && whole.textContent ? '(' + whole.textContent + ') ' : ''
  const title = document.title.startsWith(prefix) ? document.title.slice(prefix.length) : document.title

  // What is unread.
  const show = counts => {
    for (const place of document.querySelectorAll('[data-count]')) {
      const [kind, name] = [place.dataset.count.split(' ', 1)[0], place.dataset.count.slice(place.dataset.count.indexOf(' ') + 1)]
      const of = kind === 'feed' ? counts.feeds : counts.folders
      place.textContent = said(kind === 'all' ? counts.unread : Object.hasOwn(of || {}, name) ? of[name] : 0)
    }
    document.title = (counts.unread ? '(' + said(counts.unread) + ') ' : '') + title
    const badge = counts.unread ? at + 'badge.svg?n=' + Math.min(counts.unread, 100) : null
    icon.dataset.plain = icon.dataset.plain || (icon.getAttribute('href').includes('badge.svg') ? at + 'favicon.ico' : icon.getAttribute('href'))
    icon.setAttribute('href', badge || icon.dataset.plain)
  }
  let asking = null
  const ask = async () => {
    const answer = await fetch(at + 'counts.json' + (pill.dataset.fresh ? '?' + pill.dataset.fresh : ''), { headers: { Accept: 'application/json' } })
    if (!answer.ok || answer.redirected) return
    const counts = await answer.json()
    show(counts)
    if (!pill.dataset.fresh) return
    if (counts.fresh) pill.firstElementChild.textContent = counts.fresh === 1 ? '1 new article' : said(counts.fresh) + ' new articles'
    pill.hidden = !counts.fresh
  }
  const refresh = () => {
    clearTimeout(asking)
    asking = setTimeout(() => ask().catch(() => {}), 100) // several changes come together; and without a network the next news asks again
  }

  // What was read or starred, in the rows of a list and on the page of an article.
  const dress = (form, state) => {
    const row = form.closest('[data-row]')
    if ('read' in state) {
      const button = form.querySelector('.read-mark')
      button.setAttribute('aria-pressed', state.read)
      button.value = state.read ? 'unread' : 'read'
      if (row) {
        row.classList.toggle('unread', !state.read)
        row.querySelector('.unread-word').textContent = state.read ? '' : 'Unread: '
        if (state.read) row.querySelector('.tag.strong')?.remove()
      }
    }
    if ('star' in state) {
      const button = form.querySelector('.star-mark')
      button.setAttribute('aria-pressed', state.star)
      button.value = state.star ? 'unstar' : 'star'
    }
  }
  const form = id => document.querySelector('form.marks[action$="/entries/' + id + '/mark"]')
  // A browser shows a list as it was when it goes back to it; what was done since is remembered in its tab.
  const kept = () => JSON.parse(sessionStorage.getItem('marks') || '{}')
  const keep = (id, state) => {
    const marks = kept()
    marks[id] = { ...marks[id], ...state }
    const ids = Object.keys(marks)
    for (const old of ids.slice(0, Math.max(0, ids.length - 500))) delete marks[old]
    sessionStorage.setItem('marks', JSON.stringify(marks))
  }
  addEventListener('pageshow', event => {
    const [entry] = performance.getEntriesByType('navigation')
    if (!event.persisted && entry?.type !== 'back_forward') return
    for (const [id, state] of Object.entries(kept())) if (form(id)) dress(form(id), state)
    refresh()
  })
  const channel = window.BroadcastChannel && new BroadcastChannel('feedonce')
  const mark = async (on, as) => {
    const id = on.action.match(/\/entries\/(\d+)\/mark$/)[1]
    const state = { read: { read: true }, unread: { read: false }, star: { star: true }, unstar: { star: false } }[as]
    const answer = await fetch(on.action, { method: 'POST', headers: { Accept: 'application/json' }, body: new URLSearchParams({ as }), keepalive: true })
    if (!answer.ok) throw new Error(answer.status)
    dress(on, state)
    keep(id, state)
    show(await answer.json())
    if (pill.dataset.fresh) refresh()
    channel?.postMessage({ marked: id, state })
  }
  document.addEventListener('submit', event => {
    if (!event.target.matches('form.marks') || !event.submitter?.value) return
    event.preventDefault()
    mark(event.target, event.submitter.value).catch(() => HTMLFormElement.prototype.submit.call(fallback(event.target, event.submitter.value)))
  })
  // What the script cannot do the browser does: the page that comes says why.
  const fallback = (on, as) => {
    const field = Object.assign(document.createElement('input'), { type: 'hidden', name: 'as', value: as })
    on.append(field)
    return on
  }

  // An article that is seen is read: not one that a browser loads ahead, or in a tab behind.
  const opened = document.querySelector('form.marks[data-open]')
  if (opened) {
    const seen = () => {
      if (document.prerendering || document.hidden) return
      document.removeEventListener('visibilitychange', seen)
      document.removeEventListener('prerenderingchange', seen)
      mark(opened, 'read').catch(() => {})
    }
    document.addEventListener('visibilitychange', seen)
    document.addEventListener('prerenderingchange', seen)
    seen()
  }

  // A browser allows six connections to a server, and a stream takes one: of all tabs, one listens and tells the rest.
  let after = Number(pill.dataset.after)
  const hear = news => {
    if (news.marked) {
      keep(news.marked, news.state)
      if (form(news.marked)) dress(form(news.marked), news.state)
    } else if (news.id && news.id <= after) return
    if (news.id) after = news.id
    refresh()
  }
  if (channel) channel.onmessage = event => hear(event.data)
  if (!window.EventSource) return
  let source = null
  const listen = () => {
    source = new EventSource(at + 'events?after=' + after)
    source.onmessage = event => {
      const news = JSON.parse(event.data)
      hear(news)
      channel?.postMessage(news)
    }
  }
  // A page that a browser keeps to go back to must not keep the others deaf: it lets go of its turn, and asks for it again.
  let leave = null
  const queue = () => {
    if (!channel || !navigator.locks) return listen()
    const turn = new AbortController()
    leave = () => turn.abort()
    navigator.locks.request('feedonce', { signal: turn.signal }, () => {
      listen()
      return new Promise(resolve => { leave = resolve })
    }).catch(() => {})
  }
  addEventListener('pagehide', () => {
    leave?.()
    source?.close()
  })
  addEventListener('pageshow', event => { if (event.persisted) queue() })
  queue()
})()
