// Keeps the pages that a person has seen last, to be read without a connection. While there is one, every page comes from
// the server; answers to calls are never kept. Pages are dropped on sign-out and when another person signs in.

const [pages, assets] = ['pages', 'assets']
const [pagesMax, assetsMax] = [40, 300]
const freshMs = 5 * 60 * 1000
const leaving = /^\/(?:sign-in|link)(?:\/|$)/

self.addEventListener('install', () => void self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

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
    const kept = await (await caches.open(pages)).match(request.url)
    return kept === undefined ? unseen() : asKept(kept)
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
  await cache.delete(url)
  await cache.put(url, response)
  await trim(cache, pagesMax)
}

/** Returns a kept page that says since when. */
async function asKept(kept) {
  const headers = new Headers(kept.headers)
  for (const name of ['content-encoding', 'content-length']) headers.delete(name)
  const html = await kept.text()
  return new Response(html.replace('<html ', `<html data-kept-at="${headers.get('date') ?? ''}" `), { headers })
}

const unseen = () =>
  new Response(
    '<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>You are offline</title>' +
      '<body style="font: 16px system-ui; padding: 2rem"><h1>You are offline</h1>' +
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
