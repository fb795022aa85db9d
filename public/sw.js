// Keeps the pages that a person has seen last, to be read without a connection. While there is one, every page comes from
// the server; answers to calls are never kept. Pages are dropped on sign-out, when another person signs in, and when the
// session that they were seen in is over, which each of them says.

const [pages, assets] = ['pages', 'assets']
const [pagesMax, assetsMax] = [40, 300]
const freshMs = 5 * 60 * 1000
/** What a kept page says about its session, in headers of its own; '' for pages that need none. */
const [untilHeader, userHeader] = ['x-session-until', 'x-session-user']
/** How the portal writes it: `<main data-session="1790000000000 42">`. */
const sessionPattern = /<main\b[^>]* data-session="(\d+) (\d+)"/
/** Stands, with the frame of the portal, for each page that was not kept. */
const unseenPath = '/offline'
const leaving = /^\/(?:sign-in|link)(?:\/|$)/

self.addEventListener('install', () => void self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(Promise.all([self.clients.claim(), dropEnded()])))

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== self.location.origin) return
  if (request.mode === 'navigate' && !pathname.startsWith('/api/')) event.respondWith(readPage(event))
  else if (pathname.startsWith('/_next/static/')) event.respondWith(readAsset(request))
})

// A page that was opened without loading a document.
self.addEventListener('message', (event) => {
  if (typeof event.data?.keep === 'string') event.waitUntil(keepAgain(event.data.keep))
})

// What a push message says is in `server/notifications/channels/push.ts`.
self.addEventListener('push', (event) => {
  const { title, body, url, tag } = event.data.json()
  const options = { body, tag, renotify: true, icon: '/icons/192.png', data: { url } }
  event.waitUntil(self.registration.showNotification(title, options))
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(openPage(new URL(event.notification.data.url, self.location.origin).href))
})

/** Opens a page in the window that shows it, else in any of the portal, else in a new one. */
async function openPage(url) {
  const windows = await self.clients.matchAll({ type: 'window' })
  const shown = windows.find((each) => each.url === url) ?? windows[0]
  if (shown === undefined) return self.clients.openWindow(url)
  await shown.focus()
  if (shown.url !== url) await shown.navigate(url)
}

// A page is put into the cache that was open before it was requested: if that has been dropped meanwhile, the page goes
// with it, and is not found in the one that is opened next.

async function readPage(event) {
  const { request } = event
  // Online, pages are read also where nothing can be kept.
  const cache = await caches.open(pages).catch(() => null)
  try {
    const response = await fetch(request)
    if (cache !== null) event.waitUntil(keepPage(cache, request.url, response.clone()))
    return response
  } catch {
    await dropEnded()
    const kept = await (await caches.open(pages)).match(request.url)
    return kept === undefined ? unseen(request.url) : asKept(kept)
  }
}

/** Drops all pages once one of them is of a session that is over, or of somebody else than another is. */
async function dropEnded() {
  const cache = await caches.open(pages)
  const users = new Set()
  for (const request of await cache.keys()) {
    const kept = await cache.match(request)
    const [until, user] = [kept?.headers.get(untilHeader), kept?.headers.get(userHeader)]
    if (kept === undefined || until === '') continue
    users.add(user)
    // Without a header it was kept by an older version of this worker.
    if (until === null || Number(until) <= Date.now() || users.size > 1) return caches.delete(pages)
  }
}

async function keepAgain(url) {
  const cache = await caches.open(pages)
  const kept = await cache.match(url)
  if (kept !== undefined && Date.now() - Date.parse(kept.headers.get('date')) < freshMs) return
  try {
    await keepPage(cache, url, await fetch(url, { headers: { accept: 'text/html' } }))
  } catch {
    // What was kept before stays.
  }
}

async function keepPage(cache, url, response) {
  if (leaving.test(new URL(response.url || url).pathname)) return caches.delete(pages)
  const isPage = response.headers.get('content-type')?.startsWith('text/html')
  if (!response.ok || response.redirected || !isPage || response.type !== 'basic') return
  const headers = new Headers(response.headers)
  for (const name of ['content-encoding', 'content-length']) headers.delete(name)
  const html = await response.text()
  const [, until = '', user = ''] = sessionPattern.exec(html) ?? []
  headers.set(untilHeader, until)
  headers.set(userHeader, user)
  await cache.delete(url)
  await cache.put(url, new Response(html, { headers }))
  await dropEnded()
  await trim(cache, pagesMax)
  if (new URL(url).pathname === unseenPath) await keepAssets(html)
  else if (until !== '') await keepAgain(unseenUrl(url))
}

/** Keeps the scripts and styles of a page that nobody has opened. */
async function keepAssets(html) {
  const paths = new Set(html.match(/\/_next\/static\/[\w./~-]+/g))
  await Promise.allSettled([...paths].map((path) => readAsset(new Request(path))))
}

/** Returns the URL of the page that stands for one that was not kept, for the same partner. */
function unseenUrl(url) {
  const { origin, searchParams } = new URL(url)
  const partner = searchParams.getAll('partner').map((slug) => `partner=${encodeURIComponent(slug)}`)
  return `${origin}${unseenPath}${partner.length === 0 ? '' : `?${partner.join('&')}`}`
}

/** Returns a kept page that says since when. */
async function asKept(kept, mark = '') {
  const date = kept.headers.get('date') ?? ''
  const html = await kept.text()
  return new Response(html.replace('<html ', `<html data-kept-at="${date}" ${mark}`), {
    headers: kept.headers,
  })
}

/** Returns what stands for a page that was not kept: with the frame of the portal, if that was. */
async function unseen(url) {
  const frame = await (await caches.open(pages)).match(unseenUrl(url))
  return frame === undefined ? unseenPlain() : asKept(frame, 'data-unseen ')
}

const unseenPlain = () =>
  new Response(
    '<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>You\'re offline</title>' +
      '<body style="font: 16px system-ui; padding: 2rem"><h1>You\'re offline</h1>' +
      '<p>This page has not been opened in this browser lately. <a href="">Try again</a></p></body></html>',
    { status: 503, headers: { 'content-type': 'text/html; charset=utf-8' } },
  )

/** Returns a script or style, whose name changes with what is in it. */
async function readAsset(request) {
  const cache = await caches.open(assets)
  const kept = await cache.match(request.url)
  if (kept !== undefined) return kept
  const response = await fetch(request)
  if (response.ok) void cache.put(request.url, response.clone()).then(() => trim(cache, assetsMax))
  return response
}

/** Removes what was kept first. */
async function trim(cache, max) {
  const keys = await cache.keys()
  await Promise.all(keys.slice(0, Math.max(0, keys.length - max)).map((key) => cache.delete(key)))
}
