'use client'

import { zodResolver } from '@hookform/resolvers/zod'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import type { z } from 'zod'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { FormProblem } from '#app/ui/form-problem.tsx'
import { formatCount } from '#app/ui/format.ts'
import { SubmitButton } from '#app/ui/submit-button.tsx'
import { TextField } from '#app/ui/text-field.tsx'
import { toast } from '#app/ui/toast.tsx'
import type { EndpointKind } from '#server/webhooks/delivery.ts'
import type { EndpointHealth } from '#server/webhooks/store.ts'
import { SetWebhook } from '#server/webhooks/wire.ts'
import { endpointLabels, kinds } from './labels.ts'

/** Shows the form for the two endpoint URLs. Calls `onSaved` with the URLs that are set after saving. */
export function EndpointsForm({
  endpoints,
  onSaved,
}: {
  endpoints: EndpointHealth[]
  onSaved: (saved: { kind: EndpointKind; url: string }[]) => void
}) {
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
  const typed = watch()
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
        setError(isOne ? 'createURL' : field, { message: `The URL ${reason}.` }, { shouldFocus: true })
      }
    },
  })

  function submit({ createURL = '', updateURL = '' }: z.infer<typeof SetWebhook>) {
    const wanted = { createURL, updateURL: isOne ? createURL : updateURL }
    // Setting an unchanged URL would switch its endpoint back on.
    const changed = Object.fromEntries(
      Object.entries(wanted).filter(([field, url]) => url !== stored[field as keyof typeof stored]),
    )
    if (Object.keys(changed).length === 0) return toast('No changes to save.')
    if (!save.isPending) save.mutate(changed)
  }

  const problem =
    save.error === null || reasonsOf(save.error.data?.errors ?? []).length > 0
      ? null
      : failureMessage(save.error)
  return (
    <form noValidate onSubmit={handleSubmit(submit)} className="flex max-w-xl flex-col gap-4">
      <FormProblem problem={problem} />
      {kinds
        .filter((kind) => !isOne || kind === 'create')
        .map((kind) => {
          const { label, event, field } = endpointLabels[kind]
          const endpoint = endpoints.find((each) => each.kind === kind)
          const isCleared = endpoint !== undefined && typed[field] === ''
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
              hint={
                isCleared
                  ? clearingHint(isOne ? endpoints : [endpoint])
                  : isOne
                    ? 'Receives deal.created and deal.updated events (createURL and updateURL).'
                    : `Receives ${event} events (${field}).`
              }
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
      <SubmitButton busy={save.isPending} className="self-start">
        Save endpoints
      </SubmitButton>
    </form>
  )
}

// Pasted URLs often have spaces around them.
const trimmed = (text: string) => text.trim()

const urlOf = (endpoints: EndpointHealth[], kind: EndpointKind) =>
  endpoints.find((endpoint) => endpoint.kind === kind)?.url ?? ''

/** Returns the field and problem that each line of an error names. */
function reasonsOf(lines: readonly string[]): ['createURL' | 'updateURL', string][] {
  return lines.flatMap((line) => {
    const [, field, reason] = /^(createURL|updateURL): (.+)$/.exec(line) ?? []
    return field === undefined ? [] : [[field as 'createURL' | 'updateURL', reason!]]
  })
}

function clearingHint(endpoints: EndpointHealth[]): string {
  const waiting = endpoints.reduce((sum, endpoint) => sum + endpoint.waiting, 0)
  const failing =
    waiting === 0
      ? ''
      : ` and fails ${waiting === 1 ? '1 waiting delivery' : `${formatCount(waiting)} waiting deliveries`}`
  return `Saving an empty field removes the URL${failing}. Events are still recorded and can be resent once a URL is set.`
}
