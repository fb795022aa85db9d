import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listenLocally } from '#e2e/loopback.ts'
import { leadToMarkdown } from './pages.ts'

let close: () => Promise<void>
let url: string

beforeAll(async () => {
  const server = createServer((request, response) => {
    leadToMarkdown(request, response, request.url!)
    // Next.js sets this header.
    response.setHeader('Vary', 'rsc')
    response.end(request.url)
  })
  ;({ url, close } = await listenLocally(server))
})
afterAll(() => close())

test.each([
  ['/docs.md', '*/*', '/docs/markdown'],
  ['/docs/operate/install.md', 'text/html', '/docs/markdown/operate/install'],
  ['/docs/sync', 'text/markdown, text/html, */*', '/docs/markdown/sync'],
  ['/docs', 'text/html;q=0.5, text/markdown', '/docs/markdown'],
  ['/docs/sync', 'text/html,application/xhtml+xml,*/*;q=0.8', '/docs/sync'],
  ['/docs/sync', '*/*', '/docs/sync'],
  ['/docs/sync', 'text/markdown;q=0, text/html', '/docs/sync'],
  ['/documents.md', 'text/markdown', '/documents.md'],
  ['/deals', 'text/markdown', '/deals'],
])('serves %s with Accept: %s from %s', async (path, accept, target) => {
  const response = await fetch(url + path, { headers: { accept } })
  expect(await response.text()).toBe(target)
})

test('adds Accept to the Vary header of documentation pages', async () => {
  expect((await fetch(`${url}/docs/sync`)).headers.get('vary')).toBe('rsc, Accept')
  expect((await fetch(`${url}/deals`)).headers.get('vary')).toBe('rsc')
})
