'use client'

import { zodResolver } from '@hookform/resolvers/zod'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import type { z } from 'zod'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { toast } from '#app/ui/toast.tsx'
import type { EndpointKind } from '#server/webhooks/delivery.ts'
import type { EndpointHealth } from '#server/webhooks/store.ts'
import { SetWebhook } from '#server/webhooks/wire.ts'
import { endpointLabels, kinds } from './labels.ts'

/** Returns the state of the form for the two endpoint URLs; `isOne`: one URL is used for both. */
export function useEndpointsForm(
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

/** Returns the field and problem that each line of an error names. */
function reasonsOf(lines: readonly string[]): ['createURL' | 'updateURL', string][] {
  return lines.flatMap((line) => {
    const [, field, reason] = /^(createURL|updateURL): (.+)$/.exec(line) ?? []
    return field === undefined ? [] : [[field as 'createURL' | 'updateURL', reason!]]
  })
}
