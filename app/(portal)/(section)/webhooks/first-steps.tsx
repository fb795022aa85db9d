import { Key } from '#app/ui/key.tsx'
import { Link } from '#app/ui/link.tsx'

const link = 'font-medium text-accent underline underline-offset-2'

/** What to do first where no address is set. */
export function FirstSteps({ canTryHere }: { canTryHere: boolean }) {
  const steps = [
    {
      title: 'Set an address',
      text: (
        <>
          A page of your system that takes <code className="font-mono text-[0.9em]">POST</code> requests.{' '}
          <a href="#addresses" className={link}>
            Enter it below
          </a>
          : it is checked at once, and you see what to do if something is wrong.
        </>
      ),
    },
    { title: 'Send a test', text: 'A button sends a test event, and shows what your system answered.' },
    {
      title: 'Verify the signature',
      text: (
        <>
          So that only what we send counts.{' '}
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
        No address is set yet. Three steps, and your system hears of each new deal and each change within
        seconds.
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
          To try it on the machine that this runs on:{' '}
          <code className="font-mono text-[0.9em]">npm run inbox</code> starts a receiver that verifies and
          prints what it gets. Set{' '}
          <code className="font-mono text-[0.9em] wrap-anywhere">http://localhost:9000/events</code> as the
          address.
        </p>
      )}
    </section>
  )
}
