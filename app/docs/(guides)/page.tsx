import { Link } from '#app/ui/link.tsx'
import { sharedServices } from '#server/runtime/services.ts'
import { Command } from '../code-block.tsx'
import { curl } from '../curl.ts'
import { Guide } from '../guide.tsx'
import { guides, reference, start } from '../guides.ts'

export default function StartPage() {
  return (
    <Guide
      href={start.href}
      title="Developers"
      lead="Read your deals from your own systems, and be told when one changes. Plain HTTP and JSON, with a token."
    >
      <p>
        The address of this installation is <code>{sharedServices().config.publicUrl}</code>. With a token of
        yours in <code>TOKEN</code>, this line gives a deal:
      </p>
      <Command text={curl('/api/deals?size=1')} />
      <ul className="grid list-none! gap-3 space-y-0! pl-0! sm:grid-cols-2">
        {[...guides, reference].map(({ href, title, about }) => (
          <li
            key={href}
            className="relative rounded-xl border border-line bg-surface p-4 focus-within:bg-sunken hover:bg-sunken"
          >
            <Link
              href={href}
              className="text-ink! no-underline! after:absolute after:inset-0 after:rounded-xl"
            >
              {title}
            </Link>
            <p className="mt-0.5! text-sm text-ink-soft">{about}</p>
          </li>
        ))}
      </ul>
      <h2>For machines</h2>
      <p>
        {/* Not a page: it is opened as it is. */}
        <a href="/api/openapi.json">/api/openapi.json</a> describes all of this as an OpenAPI 3.1 document,
        webhooks included. It needs no token; most languages can make a client from it.
      </p>
    </Guide>
  )
}
