// Announces new articles without moving anything on the page. Everything works without it.
'use strict';
(() => {
  const pill = document.getElementById('live')
  if (!pill || !window.EventSource) return
  const { feed, after } = pill.dataset
  const title = document.title
  let seen = Number(after)
  let count = 0

  const hear = news => {
    if (news.id <= seen) return
    seen = news.id
    for (const [id, n] of Object.entries(news.new || {})) if (feed === '0' || id === feed) count += n
    if (!count) return
    pill.firstElementChild.textContent = count === 1 ? '1 new article' : count.toLocaleString('en') + ' new articles'
    pill.hidden = false
    document.title = '(' + count.toLocaleString('en') + ') ' + title
  }

  // A browser allows six connections to a server, and a stream takes one: of all tabs, one listens and tells the rest.
  const channel = window.BroadcastChannel && navigator.locks && new BroadcastChannel('feedonce')
  const listen = () => {
    const source = new EventSource(document.documentElement.dataset.at + 'events?after=' + seen)
    source.onmessage = event => {
      const news = JSON.parse(event.data)
      hear(news)
      if (channel) channel.postMessage(news)
    }
  }
  if (!channel) return listen()
  channel.onmessage = event => hear(event.data)
  navigator.locks.request('feedonce', () => {
    listen()
    return new Promise(() => {}) // until the tab is closed
  })
})()
