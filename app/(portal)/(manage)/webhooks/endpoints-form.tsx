'use client'

import { zodResolver } from '@hookform/resolvers/zod'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import type { z } from 'zod'
import { trpc } from '#app/trpc.ts'
import { SubmitButton } from '#app/ui/button.tsx'
import { failureMessage } from '#app/ui/failure-message.ts'
import { CheckField, FormProblem, TextField } from '#app/ui/fields.tsx'
import { formatCountOf } from '#app/ui/format.ts'
import { toast } from '#app/ui/toast.tsx'
import type { EndpointKind } from '#server/webhooks/delivery.ts'
import type { EndpointHealth } from '#server/webhooks/store.ts'
import { SetWebhook } from '#server/webhooks/wire.ts'
import { endpointLabels, kinds } from './labels.ts'

/** Shows the form for the two endpoint URLs. Calls `onSaved` with the endpoints whose URLs were saved. */
export function EndpointsForm({
  endpoints,
  onSaved,
}: {
  endpoints: EndpointHealth[]
  onSaved: (kinds: EndpointKind[]) => void
}) {
  const { stored, typed, isOne, setIsOne, register, errors, submit, isPending, problem } = useEndpointsForm(
    endpoints,
    onSaved,
  )
  function hintFor(kind: EndpointKind): string {
    const { event, field } = endpointLabels[kind]
    const endpoint = endpoints.find((each) => each.kind === kind)
    if (endpoint !== undefined && typed[field] === '') return clearingHint(isOne ? endpoints : [endpoint])
    const received = isOne ? kinds.map((each) => endpointLabels[each]) : [{ event, field }]
    const listOf = (name: 'event' | 'field') => received.map((each) => each[name]).join(' and ')
    return `Receives ${listOf('event')} events (${listOf('field')}).`
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
      <CheckField
        label="Use one URL for both"
        checked={isOne}
        onChange={({ currentTarget }) => setIsOne(currentTarget.checked)}
      />
      <SubmitButton busy={isPending} className="self-start">
        Save endpoints
      </SubmitButton>
    </form>
  )
}

// Pasted URLs often begin or end with spaces.
const trimmed = (text: string) => text.trim()

function clearingHint(endpoints: EndpointHealth[]): string {
  const waiting = endpoints.reduce((sum, { waiting, retrying }) => sum + waiting + retrying, 0)
  const failing = waiting === 0 ? '' : ` and fails ${formatCountOf(waiting, 'waiting event')}`
  return `Saving an empty field removes the URL${failing}. Events are still recorded and can be resent once a URL is set.`
}

/**
 * Returns the state of the form for the two endpoint URLs. If `isOne` is true, both endpoints share one URL.
 */
function useEndpointsForm(endpoints: EndpointHealth[], onSaved: (kinds: EndpointKind[]) => void) {
  const { webhooks } = trpc.useUtils()
  const stored = { createURL: urlOf(endpoints, 'create'), updateURL: urlOf(endpoints, 'update') }
  const [isOne, setIsOne] = useState(stored.createURL !== '' && stored.createURL === stored.updateURL)
  const { register, handleSubmit, setError, watch, formState } = useForm({
    resolver: zodResolver(SetWebhook),
    values: stored,
  })
  const { errors } = formState
  const save = trpc.webhooks.set.useMutation({
    async onSuccess({ createURL, updateURL }) {
      await webhooks.status.invalidate()
      toast.success('Endpoints saved.')
      onSaved([
        ...(createURL === null ? [] : ['create' as const]),
        ...(updateURL === null || updateURL === createURL ? [] : ['update' as const]),
      ])
    },
    onError({ data }) {
      // A shared URL has the same problem twice.
      for (const [field, reason] of reasonsOf(data?.errors ?? []).toReversed()) {
        const message = /^[a-z]/.test(reason) ? `The URL ${reason}.` : `${reason}.`
        setError(isOne ? 'createURL' : field, { message }, { shouldFocus: true })
      }
    },
  })

  function submit({ createURL = '', updateURL = '' }: z.infer<typeof SetWebhook>) {
    const wanted = { createURL, updateURL: isOne ? createURL : updateURL }
    // Unchanged URLs are not sent, because saving a URL re-enables its endpoint.
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
