'use client'

import { useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button.ts'
import { FormProblem } from '#app/ui/form-problem.tsx'
import { formatCount, formatCountOf } from '#app/ui/format.ts'
import { QueryState } from '#app/ui/query-state.tsx'
import { SubmitButton } from '#app/ui/submit-button.tsx'
import { CorrectionRow } from './correction-row.tsx'
import { ImportPart } from './part.tsx'
import type { RowToCorrect } from './row-cells.ts'
import { useCorrections } from './use-corrections.ts'

// Read once: they stay as they are, and so does what was typed.
const once = { staleTime: Infinity, refetchOnWindowFocus: false }

/** Lets the operator correct the rejected rows of an import and send them again. */
export function Corrections({ id }: { id: number }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <ImportPart
      title="Correct rejected rows"
      about="Change what is wrong here. The corrected rows are then imported on their own; you can review them first."
    >
      {isOpen ? (
        <RejectedRows id={id} />
      ) : (
        <button type="button" className={button.plain} onClick={() => setOpen(true)}>
          Correct here
        </button>
      )}
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
