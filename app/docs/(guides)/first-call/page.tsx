import type { Metadata } from 'next'
import { Link } from '#app/ui/link.tsx'
import { Command } from '../../code-block.tsx'
import { curl } from '../../curl.ts'
import { Guide } from '../../guide.tsx'

export const metadata: Metadata = { title: 'First call' }

export default function FirstCallPage() {
  return (
    <Guide href="/docs/first-call" title="First call" lead="A token, one line, and you have a deal.">
      <h2>Get a token</h2>
      <p>
        An admin of your company makes tokens in the portal; the very first one can come from whoever runs
        this installation. A token starts with <code>pd_</code>, is shown once, and can do only what its
        scopes say: <code>deals:read</code>, <code>files:read</code>, <code>webhooks:read</code>,{' '}
        <code>webhooks:write</code>. Keep it as you keep a password. A revoked one stops working at once.
      </p>
      <Command text="export TOKEN=pd_…" />
      <h2>Ask for deals</h2>
      <p>
        Every request carries the token in its <code>Authorization</code> header.
      </p>
      <Command
        text={curl('/api/deals?size=1')}
        answer={
          '{\n  "page": 1,\n  "pages": 2088,\n  "count": 2088,\n  "deals": [\n    { "id": 20411000193, "owner": …, "dealname": "…", "firstName": "…", … }\n  ]\n}'
        }
      />
      <p>
        <code>count</code> is how many deals you have, <code>pages</code> how many pages that makes. In the
        answers shown here, … stands for what is left out, and your numbers are others.
      </p>
      <h2>Ask for one</h2>
      <Command
        text={`export ID=20411000193   # an id from the list\n${curl('/api/deals/$ID')}`}
        answer={'{ "id": 20411000193, "owner": …, "dealname": "…", … }'}
      />
      <p>
        A deal always has all of its fields, the same in the list, by id and in events; what is not known is{' '}
        <code>null</code>. Times are UTC, such as <code>2026-03-01T17:20:05.000Z</code>. Ids are whole numbers
        of up to 64 bits: read them as such, since JavaScript&rsquo;s <code>JSON.parse</code> rounds those
        beyond 9007199254740991. The <Link href="/docs/reference">API reference</Link> has every field.
      </p>
      <h2>Ask for its agreement</h2>
      <p>
        <code>hicAgreement</code> of a deal is the id of a file. Asking for the file gives its name, its{' '}
        <code>size</code> in bytes, and a <code>url</code> that works without a token until{' '}
        <code>expiresAt</code>.
      </p>
      <Command
        text={`export FILE=…   # a deal's hicAgreement\n${curl('/api/files/$FILE')}`}
        answer={
          '{\n  "url": "…",\n  "expiresAt": "2026-03-01T18:20:05.000Z",\n  "name": "…",\n  "extension": "pdf",\n  "type": "application/pdf",\n  "size": 53312\n}'
        }
      />
    </Guide>
  )
}
