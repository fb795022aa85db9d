'use client'

import { zodResolver } from '@hookform/resolvers/zod'
import { FileUp } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import { useForm } from 'react-hook-form'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { Button, SubmitButton } from '#app/ui/button.tsx'
import { failureMessage } from '#app/ui/failure-message.ts'
import { DropArea, CheckField, FormProblem, SelectField } from '#app/ui/fields.tsx'
import { formatBytes } from '#app/ui/format-bytes.ts'
import { formatCount } from '#app/ui/format.ts'
import { Link, useRouter } from '#app/ui/link.tsx'
import { type ListColumn, ListState, ListTable, pageByPage, useList } from '#app/ui/list.tsx'
import { PageHead, Panel } from '#app/ui/page-head.tsx'
import { usePartnerHref } from '#app/ui/partner.tsx'
import { QueryState } from '#app/ui/states.tsx'
import { When } from '#app/ui/times.tsx'
import { importFileMaxBytes } from '#server/imports/policy.ts'
import { BeginImport } from '#server/imports/wire.ts'
import { formatLimit } from '#server/values/units.ts'
import { ProgressBar } from '../controls.tsx'
import {
  countLabels,
  countNames,
  durationOf,
  importStatus,
  isUnderway,
  type Listed,
  titleOf,
  whoOf,
} from './labels.ts'
import { sendFile, uploadProblem } from './send-file.ts'

/** Shows all imports and the form that starts one, limited to the viewed partner if there is one. */
export function ImportsPage() {
  const partners = trpc.accounts.partners.useQuery()
  const me = trpc.accounts.me.useQuery()
  const [begun, setBegun] = useState<Begun | null>(null)
  const query = {
    error: partners.error ?? me.error,
    refetch: () => Promise.all([partners.refetch(), me.refetch()]),
  }
  return (
    <>
      <PageHead title="Imports" about="Create and update deals from a file." />
      <Panel
        title="New import"
        about="One record per deal. Missing fields and empty cells keep the current values, unless you clear them; null in JSON clears a field. Importing the same file again changes nothing."
      >
        {begun === null ? (
          <QueryState
            what="partners"
            query={query}
            data={partners.data && me.data && { partner: me.data.chosenPartner, partners: partners.data }}
          >
            {(loaded) => <UploadForm {...loaded} onBegun={setBegun} />}
          </QueryState>
        ) : (
          <Uploading {...begun} onDiscarded={() => setBegun(null)} />
        )}
      </Panel>
      <PastImports />
    </>
  )
}

const refreshMs = 3000

/** Shows all imports, newest first. */
function PastImports() {
  const list = useList(
    trpc.imports.list.useInfiniteQuery(
      {},
      {
        ...pageByPage,
        refetchInterval: ({ state }) =>
          state.data?.pages.some(({ imports }) => imports.some(isUnderway)) ? refreshMs : false,
      },
    ),
    ({ imports }) => imports,
  )
  return (
    <section aria-labelledby="past-imports">
      <h2 id="past-imports" className="mb-3 font-semibold">
        Past imports
      </h2>
      <ListState what="imports" list={list} empty={<p className="text-ink-soft">None yet.</p>}>
        {(rows) => (
          <ListTable label="Imports" columns={columnsAt(list.nowMs)} rows={rows} keyOf={({ id }) => id} />
        )}
      </ListState>
    </section>
  )
}

const columnsAt = (nowMs: number): ListColumn<Listed>[] => [
  {
    title: 'File',
    cell: ({ id, ...row }) => (
      <Link href={`/imports/${id}`} className="rounded hover:underline">
        {titleOf(row)}
      </Link>
    ),
  },
  {
    title: 'Status',
    cell: (row) => {
      const { label, tone } = importStatus(row)
      return <Badge tone={tone}>{label}</Badge>
    },
  },
  {
    title: 'Partner',
    cell: ({ partner }) => partner?.name ?? <span className="text-ink-soft">From each record</span>,
  },
  ...countNames.map((name): ListColumn<Listed> => ({
    title: countLabels[name],
    isNumber: true,
    cell: ({ [name]: count, state }) => (state === 'uploading' ? '' : formatCount(count)),
  })),
  {
    title: 'By',
    cell: (row) => (
      <span className={`sm:whitespace-nowrap ${row.who?.name === undefined ? 'text-ink-soft' : ''}`}>
        {whoOf(row)}
      </span>
    ),
  },
  {
    title: 'Created',
    cell: ({ createdAt, startedAt, finishedAt }) => {
      const took = durationOf(startedAt, finishedAt)
      return (
        <span className="whitespace-nowrap">
          <When at={createdAt} nowMs={nowMs} />
          {took !== '' && <span className="block text-ink-soft">took {took}</span>}
        </span>
      )
    },
  },
]

interface Partner {
  slug: string
  name: string
}

/** Shows the form that starts an import. `partner` is set if all deals must belong to that partner. */
function UploadForm({
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
      <SelectField
        label="Partner"
        className="max-w-sm"
        choices={partner === null ? [fromRecords, ...partners.map(choiceOf)] : [choiceOf(partner)]}
        error={form.problems.partner}
        {...form.register('partner', { setValueAs: (value: string | null) => value || null })}
      />
      <CheckField
        label="Send webhooks to partners"
        hint={
          <>
            On: records an event for each new or updated deal and sends it to the partner’s endpoints. Off:
            records and sends nothing, which suits a partner’s first import.
          </>
        }
        {...form.register('events')}
      />
      <SubmitButton busy={form.isPending} className="self-start">
        Upload and check
      </SubmitButton>
      <p className="-mt-2 text-ink-soft">Nothing is imported yet: you review the changes first.</p>
    </form>
  )
}

const fromRecords = { value: '', label: 'From each record' }
const choiceOf = ({ slug, name }: Partner) => ({ value: slug, label: `${name} (${slug})` })

/** Shows a field for choosing a file or dropping one. */
function FileField({
  file,
  problem,
  onChoose,
}: {
  file: File | null
  problem: string | undefined
  onChoose: (file: File | undefined) => void
}) {
  const id = useId()
  return (
    <div className="flex flex-col gap-1.5">
      <DropArea onDrop={(files) => onChoose(files[0])} className="px-5 py-7">
        <FileUp aria-hidden="true" className="mb-1 size-6 text-ink-soft" />
        <span className="max-w-full font-medium wrap-anywhere">
          {file === null ? 'Choose a file, or drop it here' : file.name}
        </span>
        <span className="text-pretty text-ink-soft">
          {file === null
            ? `XLSX, ODS, CSV or NDJSON, up to ${formatLimit(importFileMaxBytes)}`
            : `${formatBytes(file.size)} · choose or drop another to replace it`}
        </span>
        <input
          type="file"
          aria-label="Deals file"
          accept=".xlsx,.ods,.ndjson,.jsonl,.json,.csv,.tsv,.txt"
          aria-invalid={problem !== undefined || undefined}
          aria-describedby={id}
          onChange={({ currentTarget }) => onChoose(currentTarget.files?.[0])}
          className="sr-only"
        />
      </DropArea>
      <p id={id} role="alert" className="text-pretty text-bad empty:sr-only">
        {problem}
      </p>
    </div>
  )
}

/** Shows the progress of an upload, then opens the import. */
function Uploading({ id, file, onDiscarded }: Begun & { onDiscarded: () => void }) {
  const { imports } = trpc.useUtils()
  const { received, waiting, problem, attempts, resume } = useUpload({ id, file })
  const place = useRef<HTMLDivElement>(null)
  const discard = trpc.imports.discard.useMutation({
    async onSettled() {
      onDiscarded()
      await imports.list.invalidate()
    },
  })

  // Move the focus, because the focused button disappears.
  useEffect(() => place.current?.focus(), [attempts])

  return (
    <div ref={place} tabIndex={-1} className="flex flex-col gap-3 outline-none">
      <p role="status" className="font-medium wrap-anywhere">
        {problem === null ? `Uploading ${file.name}…` : `Upload of ${file.name} stopped.`}
      </p>
      <ProgressBar label="Upload" value={received / file.size} />
      <p className="text-ink-soft">
        {formatBytes(received)} of {formatBytes(file.size)}.{' '}
        {problem === null && 'Keep this page open until the upload is complete.'}
      </p>
      <p role="status" className="text-pretty text-ink-soft empty:hidden">
        {problem === null && waiting}
      </p>
      <FormProblem problem={problem} />
      <div className="flex flex-wrap gap-2">
        {problem !== null && (
          <Button onClick={resume} look="primary">
            Resume
          </Button>
        )}
        <Button
          look="remove"
          onClick={() => discard.mutate({ id })}
          busy={discard.isPending}
          className="h-10"
        >
          Discard
        </Button>
      </div>
    </div>
  )
}

/**
 * Uploads a file, then opens its import. Returns the number of bytes received and, if the upload is waiting
 * or stopped, the reason.
 */
function useUpload({ id, file }: Begun) {
  const router = useRouter()
  const url = usePartnerHref()(`/imports/${id}/content`)
  const [received, setReceived] = useState(0)
  const [waiting, setWaiting] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [attempts, setAttempts] = useState(1)
  useEffect(() => {
    const controller = new AbortController()
    sendFile({ url, file }, { onProgress: setReceived, onWait: setWaiting }, controller.signal)
      .then(() => {
        if (!controller.signal.aborted) router.push(`/imports/${id}`)
      })
      .catch((error: unknown) => setProblem(uploadProblem(error)))
    return () => controller.abort()
  }, [id, url, file, attempts, router])
  return {
    received,
    waiting,
    problem,
    attempts,
    resume() {
      setProblem(null)
      setAttempts(attempts + 1)
    },
  }
}

/** A file to upload and the import that it belongs to. */
interface Begun {
  id: number
  file: File
}

/** Returns the state of the form that starts an import. `partner` limits the import to that partner. */
function useBeginImport(partner: string | null, onBegun: (begun: Begun) => void) {
  const [file, setFile] = useState<File | null>(null)
  const { register, handleSubmit, setValue, setError, formState } = useForm({
    resolver: zodResolver(BeginImport),
    defaultValues: { fileName: '', sizeBytes: 1, partner, events: true },
  })
  const { errors } = formState
  const { imports } = trpc.useUtils()
  const begin = trpc.imports.begin.useMutation({
    onSuccess: async ({ id }) => {
      onBegun({ id, file: file! })
      await imports.list.invalidate()
    },
    onError({ data }) {
      for (const error of data?.errors ?? []) {
        const [, field, reason] = /^(fileName|sizeBytes|partner): (.*)$/.exec(error) ?? []
        if (field !== undefined)
          setError(field as 'partner', { message: reason! }, { shouldFocus: field === 'partner' })
      }
    },
  })
  const isFieldWrong = begin.error?.data?.code === 'BAD_REQUEST'
  const fileProblem = sentenceOf(errors.sizeBytes?.message ?? errors.fileName?.message)
  return {
    register,
    file,
    choose(chosen: File | undefined) {
      if (chosen === undefined) return
      setFile(chosen)
      setValue('fileName', chosen.name.slice(-1000))
      setValue('sizeBytes', chosen.size, { shouldValidate: true })
    },
    submit: handleSubmit((values) => begin.mutate(values)),
    isPending: begin.isPending,
    problem: begin.error === null || isFieldWrong ? null : failureMessage(begin.error),
    problems: {
      file: file === null ? errors.fileName && 'Choose a file.' : fileProblem,
      partner: sentenceOf(errors.partner?.message),
    },
  }
}

const sentenceOf = (reason: string | undefined) =>
  reason && `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`
