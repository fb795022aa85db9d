import type { Metadata } from 'next'
import { Link } from '#app/ui/link.tsx'
import { sharedServices } from '#server/runtime/services.ts'
import { Command } from '../../code-block.tsx'
import { curl } from '../../curl.ts'
import { Guide } from '../../guide.tsx'

export const metadata: Metadata = { title: 'Walking the pages' }

export default function WalkingPage() {
  const deals = `${sharedServices().config.publicUrl}/api/deals`
  return (
    <Guide
      href="/docs/walking"
      title="Walking the pages"
      lead="Read all of your deals, 25 at a time, by following the way to the next page until there is none."
    >
      <h2>Follow Link</h2>
      <p>
        A page names the others in its <code>Link</code> header (RFC 8288). On the last page <code>next</code>{' '}
        is missing, on the first one <code>prev</code>.
      </p>
      <Command
        text={curl('/api/deals?page=2&size=25', '-I')}
        answer={[
          'HTTP/1.1 200 OK',
          '…',
          'ETag: W/"…"',
          `Link: <${deals}?page=1&size=25>; rel="first", <${deals}?page=1&size=25>; rel="prev", <${deals}?page=3&size=25>; rel="next", <${deals}?page=84&size=25>; rel="last"`,
          '…',
        ].join('\n')}
      />
      <p>
        New deals come last and changed ones stay where they are, so a walk misses none and repeats none,
        whatever arrives meanwhile. A page far back costs no more than the first.
      </p>
      <h2>All of them</h2>
      <p>
        This writes every page as a line of <code>pages.ndjson</code>, and says how many there are.
      </p>
      <Command
        text={[
          `url="${deals}?size=25"`,
          'while [ -n "$url" ]; do',
          '  curl -sf -D head.txt -H "Authorization: Bearer $TOKEN" "$url" || break',
          '  echo',
          `  url=$(sed -n 's/^[Ll]ink:.*<\\([^>]*\\)>; rel="next".*/\\1/p' head.txt)`,
          'done > pages.ndjson',
          'wc -l < pages.ndjson',
        ].join('\n')}
        answer="84"
      />
      <h2>Again, only if it changed</h2>
      <p>
        Deals and lists carry an <code>ETag</code>. Send it back as <code>If-None-Match</code>: while nothing
        has changed, the answer is a 304 without a body. Run this twice; the first time it says 200.
      </p>
      <Command
        text={curl(
          '/api/deals?size=25',
          '-s -o deals.json -w "%{http_code}\\n"',
          '--etag-compare deals.etag --etag-save deals.etag',
        )}
        answer="304"
      />
      <p>
        Do not walk all pages over and over to see what changed: <Link href="/docs/sync">the events</Link>{' '}
        tell you at once, in one request.
      </p>
    </Guide>
  )
}
