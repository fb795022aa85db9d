'use client'

import { FormProblem } from '#app/ui/form-problem.tsx'
import { formatCount } from '#app/ui/format.ts'
import { SubmitButton } from '#app/ui/submit-button.tsx'
import { TextField } from '#app/ui/text-field.tsx'
import type { EndpointKind } from '#server/webhooks/delivery.ts'
import type { EndpointHealth } from '#server/webhooks/store.ts'
import { endpointLabels, kinds } from './labels.ts'
import { useEndpointsForm } from './use-endpoints-form.ts'

/** Shows the form for the two endpoint URLs. Calls `onSaved` with the URLs that are set after saving. */
export function EndpointsForm({
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
