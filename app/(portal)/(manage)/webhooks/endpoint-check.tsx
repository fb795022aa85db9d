'use client'

import { CircleCheck, CircleDashed, CircleX, Info, type LucideIcon, TriangleAlert } from 'lucide-react'
import { failureMessage } from '#app/failure-message.ts'
import type { trpc } from '#app/trpc.ts'
import { formatCountOf } from '#app/ui/format.ts'
import { SubmitButton } from '#app/ui/submit-button.tsx'
import type { Check, Finding, Verdict } from '#server/webhooks/endpoints/diagnosis.ts'

const titles: Record<Check, string> = {
  address: 'DNS',
  certificate: 'Certificate',
  answer: 'Response',
  redirect: 'No redirects',
  accepts: 'Accepts a valid signature',
  refuses: 'Rejects an invalid signature',
}

const verdicts: Record<Verdict, { icon: LucideIcon; label: string; colour: string }> = {
  good: { icon: CircleCheck, label: 'Passed', colour: 'text-good' },
  info: { icon: Info, label: 'Note', colour: 'text-info' },
  warning: { icon: TriangleAlert, label: 'Warning', colour: 'text-wait' },
  bad: { icon: CircleX, label: 'Failed', colour: 'text-bad' },
  unseen: { icon: CircleDashed, label: 'Skipped', colour: 'text-ink-soft' },
}

/** Shows the findings of an endpoint check, and the button that runs it. */
export function EndpointCheck({
  title,
  url,
  check: { data, error, isPending, isIdle, start },
}: {
  title: string
  url: string
  check: ReturnType<typeof trpc.webhooks.examine.useMutation> & { start: () => void }
}) {
  // Findings about another URL do not apply to this one.
  const findings = !isPending && data?.url === url ? data.findings : null
  return (
    <section aria-label={`${title} check`} className="rounded-lg border border-line p-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div className="min-w-0">
          <h3 className="font-medium">{title}</h3>
          <p role="status" className="text-ink-soft">
            {statusOf({ isPending, error, findings })}
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
                    {titles[check]}
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

function statusOf({
  isPending,
  error,
  findings,
}: {
  isPending: boolean
  error: unknown
  findings: Finding[] | null
}): string {
  if (isPending) return 'Checking, this takes a few seconds…'
  if (error !== null) return failureMessage(error)
  return findings === null
    ? 'Not checked yet. A check connects to the URL and sends a test event.'
    : summaryOf(findings)
}

function summaryOf(findings: Finding[]): string {
  const count = (verdict: Verdict) => findings.filter((finding) => finding.verdict === verdict).length
  const [failed, warnings] = [count('bad'), count('warning')]
  if (failed > 0) return `${formatCountOf(failed, 'check')} failed.`
  return warnings > 0 ? `Works, with ${formatCountOf(warnings, 'warning')}.` : 'All checks passed.'
}
