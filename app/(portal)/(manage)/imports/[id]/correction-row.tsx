import { CircleAlert } from 'lucide-react'
import { useId, useState } from 'react'
import { Badge } from '#app/ui/badge.tsx'
import { formatCount, formatCountOf } from '#app/ui/format.ts'
import { fieldLabel } from './field-label.ts'
import { type RowToCorrect, type RowCell, type RowProblem, cellsOfRow, wrongCells } from './row-cells.ts'

/** Shows a rejected row: the fields that are wrong, and all of them on demand. */
export function CorrectionRow({
  row,
  texts,
  faults,
  seen,
  onChange,
}: {
  row: RowToCorrect
  /** What was typed, by title. */
  texts: Record<string, string>
  /** What is wrong with the row; null while that is not known. */
  faults: RowProblem[] | null
  seen: RowProblem[]
  onChange: (title: string, text: string) => void
}) {
  const [isAllShown, setAllShown] = useState(false)
  const { cells, problems } = cellsOfRow(row, faults ?? [], seen)
  const wrong = wrongCells(cells, seen)
  const shown = isAllShown ? cells : wrong
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
          {shown.map((cell) => (
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
  cell: { title, field, text: given, problems },
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
      {given.includes('\n') || given.length > 100 ? (
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
