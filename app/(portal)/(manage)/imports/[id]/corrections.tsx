'use client'

import { CircleAlert } from 'lucide-react'
import { useEffect, useId, useMemo, useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { Button, SubmitButton } from '#app/ui/button.tsx'
import { refusalMessage } from '#app/ui/failure-message.ts'
import { FormProblem } from '#app/ui/fields.tsx'
import { formatCount, formatCountOf } from '#app/ui/format.ts'
import { useRouter } from '#app/ui/link.tsx'
import { QueryState } from '#app/ui/states.tsx'
import { useSettled } from '#app/ui/use-typed.ts'
import { ImportPart } from './part.tsx'
import {
  type RowCell,
  type RowProblem,
  type RowToCorrect,
  cellsOfRow,
  wrongCells,
  fieldLabel,
} from './row-cells.ts'

// Loaded only once, so that a refetch does not discard typed text.
const once = { staleTime: Infinity, refetchOnWindowFocus: false }

/** Lets the operator correct the rejected rows of an import and submit them again. */
export function Corrections({ id, hasRejected }: { id: number; hasRejected: boolean }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <ImportPart
      title={hasRejected ? 'Correct rejected rows' : 'Correct unreadable values'}
      about="Correct the values here. You review the corrected rows before they are imported."
    >
      {isOpen ? <RejectedRows id={id} /> : <Button onClick={() => setOpen(true)}>Correct here</Button>}
    </ImportPart>
  )
}

function RejectedRows({ id }: { id: number }) {
  const query = trpc.imports.rejectedRows.useQuery({ id }, once)
  return (
    <QueryState what="the rejected rows" query={query} data={query.data}>
      {({ rows, others }) => <CorrectionForm id={id} rows={rows} others={others} />}
    </QueryState>
  )
}

function CorrectionForm({ id, rows, others }: { id: number; rows: RowToCorrect[]; others: number }) {
  const { texts, faults, seen, correct, canSend, isSending, problem, change, send } = useCorrections(id, rows)
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        if (canSend && !isSending) send()
      }}
    >
      {others > 0 && (
        <p className="text-pretty text-ink-soft">
          The first {formatCount(rows.length)} are shown. Correct the other {formatCount(others)} in the file
          of rejected rows and upload that.
        </p>
      )}
      <ul aria-label="Rejected rows" className="grid gap-3">
        {rows.map((row) => (
          <CorrectionRow
            key={row.line}
            row={row}
            texts={texts[row.line] ?? {}}
            faults={faults?.filter(({ line }) => line === row.line) ?? null}
            seen={seen.filter(({ line }) => line === row.line)}
            onChange={(title, text) => change(row.line, title, text)}
          />
        ))}
      </ul>
      <FormProblem problem={problem} />
      <div className="sticky bottom-0 -mx-1 flex flex-wrap items-center gap-x-4 gap-y-2 bg-canvas px-1 py-3">
        <SubmitButton busy={isSending} disabled={!canSend}>
          Review corrected rows
        </SubmitButton>
        <p role="status" className="text-ink-soft">
          {faults === null
            ? 'Checking…'
            : `${formatCount(correct)} of ${formatCountOf(rows.length, 'row')} correct. The others are left out.`}
        </p>
      </div>
    </form>
  )
}

/** Shows a rejected row: the invalid fields and, on request, all other fields. */
function CorrectionRow({
  row,
  texts,
  faults,
  seen,
  onChange,
}: {
  row: RowToCorrect
  /** Typed text by column title. */
  texts: Record<string, string>
  /** Problems of the row; null while unknown. */
  faults: RowProblem[] | null
  seen: RowProblem[]
  onChange: (title: string, text: string) => void
}) {
  const [isAllShown, setAllShown] = useState(false)
  const { cells, problems } = cellsOfRow(row, faults ?? [], seen)
  const wrong = wrongCells(cells, seen)
  const visible = isAllShown ? cells : wrong
  const name = row.cells.find(({ field }) => field === 'dealname')?.text
  const label = `Line ${formatCount(row.line)}`
  return (
    <li className="rounded-xl border border-line bg-surface p-4">
      <RowHead label={label} name={name} faults={faults} problems={problems} />
      {cells.length === 0 && (
        <p className="mt-1.5 text-pretty text-ink-soft">
          This row has no fields to change here. Correct it in the file of rejected rows.
        </p>
      )}
      {faults !== null && cells.length > 0 && (
        <div className="mt-3 grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
          {visible.map((cell) => (
            <CellField
              key={cell.title}
              cell={cell}
              of={label}
              text={texts[cell.title] ?? cell.text}
              onChange={(text) => onChange(cell.title, text)}
            />
          ))}
        </div>
      )}
      {faults !== null && wrong.length < cells.length && (
        <button
          type="button"
          onClick={() => setAllShown(!isAllShown)}
          className="mt-3 rounded font-medium underline"
        >
          {isAllShown ? 'Show fewer fields' : `Show all ${formatCount(cells.length)} fields`}
        </button>
      )}
    </li>
  )
}

function RowHead({
  label,
  name,
  faults,
  problems,
}: {
  label: string
  name: string | undefined
  faults: RowProblem[] | null
  problems: string[]
}) {
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="min-w-0 font-medium wrap-anywhere">
          {label}
          {name && <span className="font-normal text-ink-soft"> · {name}</span>}
        </h3>
        {faults !== null && <Badge tone={faults.length === 0 ? 'good' : 'bad'}>{stateOf(faults)}</Badge>}
      </div>
      {problems.map((problem) => (
        <p key={problem} className="mt-1.5 text-pretty text-bad">
          {problem}.
        </p>
      ))}
    </>
  )
}

const stateOf = (faults: RowProblem[]) =>
  faults.length === 0 ? 'Correct' : formatCountOf(faults.length, 'problem')

function CellField({
  cell: { title, field, text: original, problems },
  of,
  text,
  onChange,
}: {
  cell: RowCell
  of: string
  text: string
  onChange: (text: string) => void
}) {
  const id = useId()
  const attributes = {
    id,
    value: text,
    'aria-invalid': problems.length > 0 || undefined,
    'aria-describedby': problems.length > 0 ? `${id}-problem` : undefined,
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => onChange(currentTarget.value),
    className:
      'w-full rounded-lg border border-control bg-surface px-3 py-2 text-base sm:text-sm aria-invalid:border-bad',
  }
  const label = field === '' ? `${title} (ignored)` : fieldLabel(field)
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="w-fit max-w-full font-medium wrap-anywhere">
        <span className="sr-only">{of}: </span>
        {label}
        {title !== field && field !== '' && <span className="font-normal text-ink-soft"> · {title}</span>}
      </label>
      {original.includes('\n') || original.length > 100 ? (
        <textarea rows={3} {...attributes} />
      ) : (
        <input autoComplete="off" autoCapitalize="none" spellCheck={false} {...attributes} />
      )}
      {problems.length > 0 && (
        <p id={`${id}-problem`} className="flex gap-1.5 text-pretty text-bad">
          <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
          {problems.join('. ')}
        </p>
      )}
    </div>
  )
}

// Debounce delay of typing, in milliseconds.
const settledMs = 350

/** Corrected cell texts, by line and column title. */
type Texts = Record<number, Record<string, string>>

/**
 * Returns the corrections of an import's rejected rows, which are checked during typing, and a function that
 * submits the corrections.
 */
function useCorrections(id: number, rows: RowToCorrect[]) {
  const router = useRouter()
  const { imports } = trpc.useUtils()
  const [texts, setTexts] = useState<Texts>({})
  const [faults, setFaults] = useState<RowProblem[] | null>(null)
  /** All problems found so far. A cell stays visible after its problem is fixed. */
  const [seen, setSeen] = useState<RowProblem[]>([])
  const settled = useSettled(texts, settledMs)
  const { mutate, ...check } = trpc.imports.checkCorrections.useMutation()
  const send = trpc.imports.sendCorrections.useMutation({
    async onSuccess({ id: made }) {
      router.push(`/imports/${made}`)
      await imports.list.invalidate()
    },
  })
  useEffect(() => {
    mutate(
      { id, corrections: correctionsOf(settled) },
      {
        onSuccess(found) {
          setFaults(found)
          setSeen((before) => [
            ...before,
            ...found.filter((fault) => !before.some((each) => isSame(each, fault))),
          ])
        },
      },
    )
  }, [id, settled, mutate])
  const isChecked = faults !== null && settled === texts && !check.isPending
  const correct = useMemo(() => {
    const wrong = new Set(faults?.map(({ line }) => line))
    return faults === null ? 0 : rows.filter(({ line }) => !wrong.has(line)).length
  }, [faults, rows])
  const failure = send.error ?? check.error
  return {
    texts,
    faults,
    seen,
    correct,
    canSend: isChecked && correct > 0,
    isSending: send.isPending,
    problem: failure === null ? null : refusalMessage(failure),
    change: (line: number, title: string, text: string) =>
      setTexts((before) => ({ ...before, [line]: { ...before[line], [title]: text } })),
    send: () => send.mutate({ id, corrections: correctionsOf(texts) }),
  }
}

const isSame = (a: RowProblem, b: RowProblem) => a.line === b.line && a.field === b.field

const correctionsOf = (texts: Texts) =>
  Object.entries(texts).map(([line, cells]) => ({
    line: Number(line),
    cells: Object.entries(cells).map(([title, text]) => ({ title, text })),
  }))
