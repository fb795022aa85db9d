import type { Metadata } from 'next'
import { Link } from '#app/ui/link.tsx'
import { sharedServices } from '#server/runtime/services.ts'
import { Command } from '../../code-block.tsx'
import { curl, curlJson } from '../../curl.ts'
import { Guide } from '../../guide.tsx'

export const metadata: Metadata = { title: 'Staying in sync' }

export default function SyncPage() {
  const { eventRetentionDays } = sharedServices().config
  return (
    <Guide
      href="/docs/sync"
      title="Staying in sync"
      lead="Keep a copy of your deals that is right, and can prove it."
    >
      <ol>
        <li>
          <Link href="/docs/walking">Walk the pages</Link> once and keep every deal by its id.
        </li>
        <li>
          Compare your copy with what is there. The answer says what changed while you walked, and up to which
          event.
        </li>
        <li>From then on follow the events. Compare again from time to time, such as each night.</li>
      </ol>
      <h2>Follow the events</h2>
      <p>
        Whatever happens to your deals is an event, numbered by <code>sequence</code> from 1 without a gap.
        Ask for those after the last one you have; the bodies are those of the{' '}
        <Link href="/docs/webhooks">webhooks</Link>, each with the whole deal as it was then.
      </p>
      <Command
        text={curl('/api/events?after=0&limit=1')}
        answer={
          '{\n  "events": [\n    {\n      "type": "deal.…",\n      "timestamp": "2026-03-01T17:20:05.000Z",\n      "sequence": 1,\n      "data": { "id": 20411000193, … },\n      "changes": […]\n    }\n  ],\n  "last": 1042\n}'
        }
      />
      <p>
        <code>changes</code> lists each field <code>from</code> what <code>to</code> what; it is empty for a
        new deal. <code>last</code> is the newest sequence there is: ask again until you have it. Apply events
        in order, and keep the sequence of the last one together with what it changed.
      </p>
      <p>
        Events are kept for {eventRetentionDays} days. Whoever asks for older ones gets a 410: walk the pages
        again, compare, and go on from there.
      </p>
      <h2>Compare your copy</h2>
      <p>
        Post the <code>id</code> and <code>lastModified</code> of every deal you hold. An empty copy lacks
        everything:
      </p>
      <Command
        text={curlJson('/api/events/reconcile', '{"deals": []}')}
        answer={'{ "missing": [20411000193, …], "stale": [], "gone": [], "last": 1042, "next": … }'}
      />
      <ul>
        <li>
          Get those that are <code>missing</code> and those that are <code>stale</code> by their id, and drop
          those that are <code>gone</code>.
        </li>
        <li>
          Three empty lists and <code>next</code> null: your copy is right as of the event <code>last</code>.
        </li>
        <li>
          When <code>next</code> is a number, more is missing than one answer lists: go on with{' '}
          <code>after</code> set to it.
        </li>
      </ul>
      <p>
        More than 1,000 deals go in chunks, in ascending order of id. Each says which ids it covers: those
        greater than <code>after</code>, up to and with <code>upTo</code>. The first has no <code>after</code>{' '}
        and the last no <code>upTo</code>. What happens meanwhile is in the events after the <code>last</code>{' '}
        of the first answer.
      </p>
      <Command
        text={curlJson(
          '/api/events/reconcile',
          '{\n    "deals": [{"id": 20411000193, "lastModified": "2026-03-01T17:20:05.000Z"}],\n    "after": 20411000000,\n    "upTo": 20411000200\n  }',
        )}
        answer={'{ "missing": […], "stale": […], "gone": […], "last": 1042, "next": null }'}
      />
    </Guide>
  )
}
