'use client'

import { CircleCheck, CircleDashed, CircleX, Info, type LucideIcon, TriangleAlert } from 'lucide-react'
import { failureMessage } from '#app/failure-message.ts'
import type { trpc } from '#app/trpc.ts'
import { SubmitButton } from '#app/ui/submit-button.tsx'
import type { Check, Finding, Verdict } from '#server/webhooks/endpoints/diagnosis.ts'

const checks: Record<Check, string> = {
  address: 'Name',
  certificate: 'Certificate',
  answer: 'Answer',
  redirect: 'No redirect',
  accepts: 'Accepts what is signed rightly',
  refuses: 'Refuses what is signed wrongly',
}

const verdicts: Record<Verdict, { icon: LucideIcon; label: string; colour: string }> = {
  good: { icon: CircleCheck, label: 'Good', colour: 'text-good' },
  info: { icon: Info, label: 'To know', colour: 'text-info' },
  warning: { icon: TriangleAlert, label: 'Warning', colour: 'text-wait' },
  bad: { icon: CircleX, label: 'Wrong', colour: 'text-bad' },
  unseen: { icon: CircleDashed, label: 'Not looked at', colour: 'text-ink-soft' },
}

/** What a look at an address has shown, and the button that has another one taken. */
export function Examination({
  title,
  url,
  examination,
}: {
  title: string
  url: string
  examination: ReturnType<typeof trpc.webhooks.examine.useMutation> & { start: () => void }
}) {
  const { data, error, isPending, isIdle, start } = examination
  // What was found at another address says nothing about this one.
  const findings = !isPending && data?.url === url ? data.findings : null
  return (
    <section aria-label={`Check of ${title}`} className="rounded-lg border border-line p-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div className="min-w-0">
          <h3 className="font-medium">{title}</h3>
          <p role="status" className="text-ink-soft">
            {isPending
              ? 'Checking: this takes a few seconds at most…'
              : error !== null
                ? failureMessage(error)
                : findings === null
                  ? 'Not checked yet. A check connects to the address and sends a test event.'
                  : summaryOf(findings)}
          </p>
        </div>
        <SubmitButton
          type="button"
          look="plain"
          busy={isPending}
          onClick={() => {
            if (!isPending) start()
          }}
        >
          {isIdle ? 'Check' : 'Check again'}
          <span className="sr-only"> {title}</span>
        </SubmitButton>
      </div>
      {findings !== null && (
        <ul className="mt-4 flex flex-col gap-3 border-t border-line pt-4">
          {findings.map(({ check, verdict, text }) => {
            const { icon: Icon, label, colour } = verdicts[verdict]
            return (
              <li key={check} className="flex gap-2.5">
                <Icon aria-hidden="true" className={`mt-0.5 size-4 shrink-0 ${colour}`} />
                <div className="min-w-0">
                  <p className="font-medium">
                    <span className="sr-only">{label}: </span>
                    {checks[check]}
                  </p>
                  <p className="text-pretty wrap-anywhere text-ink-soft">{text}</p>
                </div>
              </li>
            )
          })}
        </ul>
      )}
    </section>
  )
}

function summaryOf(findings: Finding[]): string {
  const count = (verdict: Verdict) => findings.filter((finding) => finding.verdict === verdict).length
  const [wrong, warnings] = [count('bad'), count('warning')]
  if (wrong > 0) return `${wrong === 1 ? 'Something is' : `${wrong} things are`} wrong.`
  return warnings > 0
    ? `It works, with ${warnings === 1 ? 'a warning' : `${warnings} warnings`}.`
    : 'All is well.'
}
