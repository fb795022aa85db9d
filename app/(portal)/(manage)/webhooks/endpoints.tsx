'use client'

import { zodResolver } from '@hookform/resolvers/zod'
import { CircleCheck, CircleDashed, CircleX, Info, type LucideIcon, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import type { z } from 'zod'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { Button, SubmitButton } from '#app/ui/button.tsx'
import { FormProblem, TextField } from '#app/ui/fields.tsx'
import { formatCount, formatCountOf } from '#app/ui/format.ts'
import { toast } from '#app/ui/toast.tsx'
import type { EndpointKind } from '#server/webhooks/delivery.ts'
import type { Check, Finding, Verdict } from '#server/webhooks/endpoints/diagnosis.ts'
import type { EndpointHealth } from '#server/webhooks/store.ts'
import { SetWebhook } from '#server/webhooks/wire.ts'
import { endpointLabels, kinds } from './labels.ts'

/** Shows the form for the endpoint URLs and, below it, a check of each URL that is set. */
export function Endpoints({ endpoints }: { endpoints: EndpointHealth[] }) {
  const checks = { create: useCheck('create'), update: useCheck('update') }
  const shown = distinct(
    kinds.flatMap((kind) =>
      endpoints.filter((endpoint) => endpoint.kind === kind).map(({ url }) => ({ kind, url })),
    ),
  )
  const isOne = endpoints.length > shown.length
  return (
    <>
      <EndpointsForm
        endpoints={endpoints}
        onSaved={(saved) => {
          for (const { kind } of distinct(saved)) checks[kind].start()
        }}
      />
      {shown.length > 0 && (
        <div className="mt-6 flex flex-col gap-3">
          {shown.map(({ kind, url }) => (
            <EndpointCheck
              key={kind}
              title={isOne ? 'URL for both' : endpointLabels[kind].label}
              url={url}
              check={checks[kind]}
            />
          ))}
        </div>
      )}
    </>
  )
}

/** Returns the endpoints without repeated URLs. */
function distinct<T extends { url: string }>(all: T[]): T[] {
  return all.filter(({ url }, index) => all.findIndex((each) => each.url === url) === index)
}

function useCheck(kind: EndpointKind) {
  const { webhooks } = trpc.useUtils()
  const check = trpc.webhooks.examine.useMutation({
    trpc: { context: { isAlone: true } },
    // Includes the endpoint's health.
    onSettled: () => webhooks.status.invalidate(),
  })
  return { ...check, start: () => check.mutate({ kind }) }
}

/** Shows the form for the two endpoint URLs. Calls `onSaved` with the saved URLs. */
function EndpointsForm({
  endpoints,
  onSaved,
}: {
  endpoints: EndpointHealth[]
  onSaved: (saved: { kind: EndpointKind; url: string }[]) => void
}) {
  const { stored, typed, isOne, setIsOne, register, errors, submit, isPending, problem } = useEndpointsForm(
    endpoints,
    onSaved,
  )
  function hintFor(kind: EndpointKind): string {
    const { event, field } = endpointLabels[kind]
    const endpoint = endpoints.find((each) => each.kind === kind)
    if (endpoint !== undefined && typed[field] === '') return clearingHint(isOne ? endpoints : [endpoint])
    return isOne
      ? `Receives ${kinds.map((each) => endpointLabels[each].event).join(' and ')} events (${kinds.map((each) => endpointLabels[each].field).join(' and ')}).`
      : `Receives ${event} events (${field}).`
  }
  return (
    <form noValidate onSubmit={submit} className="flex max-w-xl flex-col gap-4">
      <FormProblem problem={problem} />
      {kinds
        .filter((kind) => !isOne || kind === 'create')
        .map((kind) => {
          const { label, field } = endpointLabels[kind]
          return (
            <TextField
              key={kind}
              type="url"
              label={isOne ? 'URL for both' : label}
              placeholder="https://"
              autoComplete="off"
              spellCheck={false}
              defaultValue={stored[field]}
              {...register(field, { setValueAs: trimmed })}
              hint={hintFor(kind)}
              error={errors[field]?.message}
            />
          )
        })}
      <label className="flex w-fit items-center gap-2.5">
        <input
          type="checkbox"
          checked={isOne}
          onChange={({ currentTarget }) => setIsOne(currentTarget.checked)}
          className="size-4 accent-accent"
        />
        Use one URL for both
      </label>
      <SubmitButton busy={isPending} className="self-start">
        Save endpoints
      </SubmitButton>
    </form>
  )
}

// Pasted URLs often have spaces around them.
const trimmed = (text: string) => text.trim()

function clearingHint(endpoints: EndpointHealth[]): string {
  const waiting = endpoints.reduce((sum, { waiting, retrying }) => sum + waiting + retrying, 0)
  const failing =
    waiting === 0
      ? ''
      : ` and fails ${waiting === 1 ? '1 waiting delivery' : `${formatCount(waiting)} waiting deliveries`}`
  return `Saving an empty field removes the URL${failing}. Events are still recorded and can be resent once a URL is set.`
}

/** Returns the state of the form for the two endpoint URLs; `isOne`: one URL is used for both. */
function useEndpointsForm(
  endpoints: EndpointHealth[],
  onSaved: (saved: { kind: EndpointKind; url: string }[]) => void,
) {
  const { webhooks } = trpc.useUtils()
  const stored = { createURL: urlOf(endpoints, 'create'), updateURL: urlOf(endpoints, 'update') }
  const [isOne, setIsOne] = useState(stored.createURL !== '' && stored.createURL === stored.updateURL)
  const {
    register,
    handleSubmit,
    setError,
    watch,
    formState: { errors },
  } = useForm({ resolver: zodResolver(SetWebhook), values: stored })
  const save = trpc.webhooks.set.useMutation({
    async onSuccess(saved) {
      await webhooks.status.invalidate()
      toast.success('Endpoints saved.')
      onSaved(
        kinds.flatMap((kind) => {
          const url = saved[endpointLabels[kind].field]
          return url === null ? [] : [{ kind, url }]
        }),
      )
    },
    onError({ data }) {
      // With one URL for both, both have the same problem.
      for (const [field, reason] of reasonsOf(data?.errors ?? []).toReversed()) {
        const message = /^[a-z]/.test(reason) ? `The URL ${reason}.` : `${reason}.`
        setError(isOne ? 'createURL' : field, { message }, { shouldFocus: true })
      }
    },
  })

  function submit({ createURL = '', updateURL = '' }: z.infer<typeof SetWebhook>) {
    const wanted = { createURL, updateURL: isOne ? createURL : updateURL }
    // Setting an unchanged URL would enable its endpoint.
    const changed = Object.fromEntries(
      Object.entries(wanted).filter(([field, url]) => url !== stored[field as keyof typeof stored]),
    )
    if (Object.keys(changed).length === 0) return toast('No changes to save.')
    save.mutate(changed)
  }

  const isUrlWrong = reasonsOf(save.error?.data?.errors ?? []).length > 0
  return {
    stored,
    typed: watch(),
    isOne,
    setIsOne,
    register,
    errors,
    submit: handleSubmit(submit),
    isPending: save.isPending,
    problem: save.error === null || isUrlWrong ? null : failureMessage(save.error),
  }
}

const urlOf = (endpoints: EndpointHealth[], kind: EndpointKind) =>
  endpoints.find((endpoint) => endpoint.kind === kind)?.url ?? ''

/** Returns the field and problem in each line of an error. */
function reasonsOf(lines: readonly string[]): ['createURL' | 'updateURL', string][] {
  return lines.flatMap((line) => {
    const [, field, reason] = /^(createURL|updateURL): (.+)$/.exec(line) ?? []
    return field === undefined ? [] : [[field as 'createURL' | 'updateURL', reason!]]
  })
}

const titles: Record<Check, string> = {
  address: 'DNS',
  certificate: 'Certificate',
  answer: 'Response',
  redirect: 'No redirects',
  accepts: 'Accepts a valid signature',
  refuses: 'Rejects an invalid signature',
}

const verdicts: Record<Verdict, { icon: LucideIcon; label: string; color: string }> = {
  good: { icon: CircleCheck, label: 'Passed', color: 'text-good' },
  info: { icon: Info, label: 'Note', color: 'text-info' },
  warning: { icon: TriangleAlert, label: 'Warning', color: 'text-wait' },
  bad: { icon: CircleX, label: 'Failed', color: 'text-bad' },
  unseen: { icon: CircleDashed, label: 'Skipped', color: 'text-ink-soft' },
}

/** Shows the findings of an endpoint check, and the button that runs it. */
function EndpointCheck({
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
        <Button busy={isPending} onClick={() => start()} about={title}>
          {isIdle ? 'Check' : 'Check again'}
        </Button>
      </div>
      {findings !== null && (
        <ul className="mt-4 flex flex-col gap-3 border-t border-line pt-4">
          {findings.map(({ check, verdict, text }) => {
            const { icon: Icon, label, color } = verdicts[verdict]
            return (
              <li key={check} className="flex gap-2.5">
                <Icon aria-hidden="true" className={`mt-0.5 size-4 shrink-0 ${color}`} />
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
