import type { IncomingMessage, ServerResponse } from 'node:http'
import Negotiator from 'negotiator'

const markdownPath = '/docs/markdown'

/**
 * Rewrites the request's URL if the client wants a documentation page as Markdown: either the URL ends with
 * `.md`, or the client prefers `text/markdown`.
 */
export function leadToMarkdown(request: IncomingMessage, response: ServerResponse, path: string): void {
  if (path !== '/docs' && path !== '/docs.md' && !path.startsWith('/docs/')) return
  if (path.endsWith('.md')) {
    request.url = `${markdownPath}${path.slice('/docs'.length, -'.md'.length)}`
    return
  }
  varyByAccept(response)
  const [preferred] = new Negotiator(request).mediaTypes(['text/html', 'text/markdown'])
  if (preferred === 'text/markdown') request.url = `${markdownPath}${path.slice('/docs'.length)}`
}

/** Adds the `Vary` header when the response starts, because Next.js would overwrite an earlier value. */
function varyByAccept(response: ServerResponse): void {
  const { writeHead } = response
  response.writeHead = ((...args: Parameters<typeof writeHead>) => {
    response.appendHeader('Vary', 'Accept')
    return writeHead.apply(response, args)
  }) as typeof writeHead
}
