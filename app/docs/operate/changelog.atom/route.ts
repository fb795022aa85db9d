import { sharedServices } from '#server/runtime/services.ts'
import { atomOf, versionsIn } from '../../changelog-feed.ts'
import { readMarkdown } from '../../page-markdown.ts'

/** Returns the changelog as an Atom feed, one entry for each version. */
async function answer(): Promise<Response> {
  const { publicUrl } = sharedServices().config
  const versions = versionsIn((await readMarkdown('/docs/operate/changelog'))!)
  return new Response(atomOf(publicUrl, versions), {
    headers: { 'Content-Type': 'application/atom+xml; charset=utf-8', 'Cache-Control': 'no-cache' },
  })
}

// It depends on the configuration of this process.
export const dynamic = 'force-dynamic'

export { answer as GET, answer as HEAD }
