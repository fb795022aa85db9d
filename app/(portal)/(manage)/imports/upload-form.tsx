'use client'

import { FormProblem } from '#app/ui/form-problem.tsx'
import { SelectField } from '#app/ui/select-field.tsx'
import { SubmitButton } from '#app/ui/submit-button.tsx'
import { FileField } from './file-field.tsx'
import { type Begun, useBeginImport } from './use-begin-import.ts'
import { WithProblem } from './with-problem.tsx'

interface Partner {
  slug: string
  name: string
}

/** Shows the form that begins an import: file, partner and events. `partner` is set if deals can belong to that one only. */
export function UploadForm({
  partner,
  partners,
  onBegun,
}: {
  partner: Partner | null
  partners: Partner[]
  onBegun: (begun: Begun) => void
}) {
  const form = useBeginImport(partner?.slug ?? null, onBegun)
  return (
    <form noValidate onSubmit={form.submit} className="flex flex-col gap-5">
      <FormProblem problem={form.problem} />
      <FileField file={form.file} problem={form.problems.file} onChoose={form.choose} />
      <WithProblem problem={form.problems.partner}>
        {(attributes) => (
          <SelectField
            label="Partner"
            className="max-w-sm"
            choices={partner === null ? [fromRecords, ...partners.map(choiceOf)] : [choiceOf(partner)]}
            {...form.register('partner', { setValueAs: (value: string | null) => value || null })}
            {...attributes}
          />
        )}
      </WithProblem>
      <label className="flex items-start gap-2.5">
        <input
          type="checkbox"
          {...form.register('events')}
          className="mt-0.5 size-4 shrink-0 accent-accent"
        />
        <span>
          <span className="font-medium">Send webhooks to partners</span>
          <span className="mt-0.5 block text-pretty text-ink-soft">
            On: records an event for each new or updated deal and sends it to the partner’s endpoints. Off:
            records and sends nothing, which suits a partner’s first import.
          </span>
        </span>
      </label>
      <SubmitButton busy={form.isPending} className="self-start">
        Upload and check
      </SubmitButton>
      <p className="-mt-2 text-ink-soft">Nothing is imported yet: you review the changes first.</p>
    </form>
  )
}

const fromRecords = { value: '', label: 'From each record' }
const choiceOf = ({ slug, name }: Partner) => ({ value: slug, label: `${name} (${slug})` })
