import { sharedServices } from '#server/runtime/services.ts'
import { readMarkdown } from '../page-markdown.ts'

/** Returns a documentation page as Markdown. Requests for `.md` files are routed here. */
async function answer(
  _request: Request,
  { params }: { params: Promise<{ page?: string[] }> },
): Promise<Response> {
  const { page = [] } = await params
  const href = ['/docs', ...page].join('/')
  const text = await readMarkdown(href)
  if (text === undefined) return new Response('Page not found\n', { status: 404, headers })
  const { publicUrl } = sharedServices().config
  const index = `> For the index of this documentation, see [llms.txt](${publicUrl}/llms.txt).\n\n`
  return new Response(index + text, {
    headers: { ...headers, Link: `<${publicUrl}${href}>; rel="canonical"` },
  })
}

const headers = { 'Content-Type': 'text/markdown; charset=utf-8', 'Cache-Control': 'no-cache' }

export { answer as GET, answer as HEAD }
