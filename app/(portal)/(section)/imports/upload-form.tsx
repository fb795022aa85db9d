'use client'

import { zodResolver } from '@hookform/resolvers/zod'
import { CircleAlert, FileUp } from 'lucide-react'
import { type DragEvent, type ReactNode, useId, useState } from 'react'
import { useForm } from 'react-hook-form'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { FormProblem } from '#app/ui/form-problem.tsx'
import { formatBytes } from '#app/ui/format-bytes.ts'
import { SelectField } from '#app/ui/select-field.tsx'
import { SubmitButton } from '#app/ui/submit-button.tsx'
import { fileMaxBytes } from '#server/imports/policy.ts'
import { BeginImport } from '#server/imports/wire.ts'
import { formatLimit } from '#server/protocol/units.ts'

/** A file to upload and its import. */
export interface Begun {
  id: number
  file: File
}

/** Shows the form that begins an import: file, partner and events. `partner` is set if deals can belong to that one only. */
export function UploadForm({
  partner,
  partners,
  onBegun,
}: {
  partner: { slug: string; name: string } | null
  partners: { slug: string; name: string }[]
  onBegun: (begun: Begun) => void
}) {
  const [file, setFile] = useState<File | null>(null)
  const [isOver, setIsOver] = useState(false)
  const {
    register,
    handleSubmit,
    setValue,
    setError,
    formState: { errors },
  } = useForm({
    resolver: zodResolver(BeginImport),
    defaultValues: { fileName: '', sizeBytes: 1, partner: partner?.slug ?? null, events: true },
  })
  const { imports } = trpc.useUtils()
  const begin = trpc.imports.begin.useMutation({
    onSuccess: async ({ id }) => {
      onBegun({ id, file: file! })
      await imports.list.invalidate()
    },
    onError({ data }) {
      for (const error of data?.errors ?? []) {
        const [, field, reason] = /^(fileName|sizeBytes|partner): (.*)$/.exec(error) ?? []
        if (field !== undefined) setError(field as 'partner', { message: reason! })
      }
    },
  })
  const choose = (chosen: File | undefined) => {
    if (chosen === undefined) return
    setFile(chosen)
    setValue('fileName', chosen.name.slice(-1000))
    setValue('sizeBytes', chosen.size, { shouldValidate: true })
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(false)
    choose(event.dataTransfer.files[0])
  }
  const fileProblem =
    file === null
      ? errors.fileName && 'Choose a file.'
      : sentenceOf(errors.sizeBytes?.message ?? errors.fileName?.message)
  return (
    <form
      noValidate
      onSubmit={handleSubmit((values) => {
        if (!begin.isPending) begin.mutate(values)
      })}
      className="flex flex-col gap-5"
    >
      <FormProblem
        problem={
          begin.error === null || begin.error.data?.code === 'BAD_REQUEST'
            ? null
            : failureMessage(begin.error)
        }
      />
      <WithProblem problem={fileProblem}>
        {(attributes) => (
          <label
            onDragOver={(event) => {
              event.preventDefault()
              setIsOver(true)
            }}
            onDragLeave={() => setIsOver(false)}
            onDrop={drop}
            className={`flex cursor-pointer flex-col items-center gap-1 rounded-xl border border-dashed px-5 py-7 text-center focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-accent ${isOver ? 'border-accent bg-sunken' : 'border-control hover:bg-sunken'}`}
          >
            <FileUp aria-hidden="true" className="mb-1 size-6 text-ink-soft" />
            <span className="max-w-full font-medium wrap-anywhere">
              {file === null ? 'Choose a file, or drop it here' : file.name}
            </span>
            <span className="text-pretty text-ink-soft">
              {file === null
                ? `NDJSON or CSV, up to ${formatLimit(fileMaxBytes)}`
                : `${formatBytes(file.size)} · choose or drop another to replace it`}
            </span>
            <input
              type="file"
              aria-label="Deals file"
              accept=".ndjson,.jsonl,.json,.csv,.txt"
              {...attributes}
              onChange={({ currentTarget }) => choose(currentTarget.files?.[0])}
              className="sr-only"
            />
          </label>
        )}
      </WithProblem>
      <WithProblem problem={sentenceOf(errors.partner?.message)}>
        {(attributes) => (
          <SelectField
            label="Partner"
            className="max-w-sm"
            choices={[
              ...(partner === null ? [{ value: '', label: 'From each record' }] : []),
              ...(partner === null ? partners : [partner]).map(({ slug, name }) => ({
                value: slug,
                label: `${name} (${slug})`,
              })),
            ]}
            {...register('partner', { setValueAs: (value: string | null) => value || null })}
            {...attributes}
          />
        )}
      </WithProblem>
      <label className="flex items-start gap-2.5">
        <input type="checkbox" {...register('events')} className="mt-0.5 size-4 shrink-0 accent-accent" />
        <span>
          <span className="font-medium">Send webhooks to partners</span>
          <span className="mt-0.5 block text-pretty text-ink-soft">
            On: records an event for each new or updated deal and sends it to the partner’s endpoints. Off:
            records and sends nothing, which suits a partner’s first import.
          </span>
        </span>
      </label>
      <SubmitButton busy={begin.isPending} className="self-start">
        Upload and check
      </SubmitButton>
      <p className="-mt-2 text-ink-soft">Nothing changes yet. You can review the changes first.</p>
    </form>
  )
}

const sentenceOf = (reason: string | undefined) =>
  reason && `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`

/** Shows a control with its problem below. */
function WithProblem({
  problem,
  children,
}: {
  problem: string | undefined
  children: (attributes: { 'aria-invalid'?: true; 'aria-describedby'?: string }) => ReactNode
}) {
  const id = useId()
  return (
    <div className="flex flex-col gap-1.5">
      {children(problem === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': id })}
      <div role="alert" className="empty:sr-only">
        {problem !== undefined && (
          <p id={id} className="flex gap-1.5 text-pretty text-bad">
            <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
            {problem}
          </p>
        )}
      </div>
    </div>
  )
}
