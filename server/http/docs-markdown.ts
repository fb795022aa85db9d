import type { IncomingMessage, ServerResponse } from 'node:http'
import Negotiator from 'negotiator'

/** Where the pages of the documentation are served as Markdown. */
const markdownPath = '/docs/markdown'

/**
 * Leads a request for the Markdown of a documentation page to it: for its path with `.md`, or for the page itself if the
 * client prefers `text/markdown`.
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

/** Adds the header when the response begins, because Next sets its own names before. */
function varyByAccept(response: ServerResponse): void {
  const { writeHead } = response
  response.writeHead = ((...given: Parameters<typeof writeHead>) => {
    response.appendHeader('Vary', 'Accept')
    return writeHead.apply(response, given)
  }) as typeof writeHead
}
