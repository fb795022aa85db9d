import { Key } from '#app/ui/key.tsx'
import { Link } from '#app/ui/link.tsx'

const link = 'font-medium text-accent underline underline-offset-2'

/** Shows the first steps to a partner without an endpoint. */
export function FirstSteps({ canTryHere }: { canTryHere: boolean }) {
  const steps = [
    {
      title: 'Set a URL',
      text: (
        <>
          A URL of your system that accepts <code className="font-mono text-[0.9em]">POST</code> requests.{' '}
          <a href="#endpoints" className={link}>
            Enter it below
          </a>
          ; we check it right away and tell you what to fix.
        </>
      ),
    },
    { title: 'Send a test event', text: 'See how your system responds to it.' },
    {
      title: 'Verify the signature',
      text: (
        <>
          Make sure that events come from us.{' '}
          <a href="#verify" className={link}>
            Copy the code for your language
          </a>
          , or read{' '}
          <Link href="/docs/webhooks" className={link}>
            how webhooks work
          </Link>
          .
        </>
      ),
    },
  ]
  return (
    <section aria-label="First steps" className="mb-6 rounded-xl border border-line bg-surface p-5 sm:p-6">
      <p className="mb-4 max-w-2xl text-pretty">
        No endpoints yet. Receive new deals and deal updates in three steps.
      </p>
      <ol className="grid gap-5 md:grid-cols-3">
        {steps.map(({ title, text }, index) => (
          <li key={title} className="flex gap-3">
            <Key>{String(index + 1)}</Key>
            <div>
              <h2 className="font-semibold">{title}</h2>
              <p className="mt-1 text-pretty text-ink-soft">{text}</p>
            </div>
          </li>
        ))}
      </ol>
      {canTryHere && (
        <p className="mt-5 max-w-2xl rounded-lg bg-sunken px-4 py-3 text-pretty">
          To try it on this server, run <code className="font-mono text-[0.9em]">npm run inbox</code>: it
          starts a receiver that verifies and prints events. Set{' '}
          <code className="font-mono text-[0.9em] wrap-anywhere">http://localhost:9000/events</code> as the
          URL.
        </p>
      )}
    </section>
  )
}
