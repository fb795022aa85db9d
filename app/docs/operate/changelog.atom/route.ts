import { sharedServices } from '#server/runtime/services.ts'
import { atomOf, versionsIn } from '../../changelog-feed.ts'
import { readMarkdown } from '../../markdown/page-markdown.ts'

/** Returns the changelog as an Atom feed with one entry per version. */
async function answer(): Promise<Response> {
  const { publicUrl } = sharedServices().config
  const versions = versionsIn((await readMarkdown('/docs/operate/changelog'))!)
  return new Response(atomOf(publicUrl, versions), {
    headers: { 'Content-Type': 'application/atom+xml; charset=utf-8', 'Cache-Control': 'no-cache' },
  })
}

// The response contains the public URL, which is configured at run time.
export const dynamic = 'force-dynamic'

export { answer as GET, answer as HEAD }
