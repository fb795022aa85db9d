'use client'

import { refusalMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { FormProblem } from '#app/ui/form-problem.tsx'
import { formatCount } from '#app/ui/format.ts'
import { SelectField } from '#app/ui/select-field.tsx'
import type { Sample } from '#server/imports/import.ts'

/** Lets the operator choose the row that has the titles of the columns; the file is then checked again. */
export function HeaderChoice({
  id,
  header: { row, choices },
}: {
  id: number
  header: NonNullable<Sample['header']>
}) {
  const { imports } = trpc.useUtils()
  const choose = trpc.imports.chooseHeader.useMutation({ onSuccess: () => imports.one.invalidate({ id }) })
  return (
    <div className="mb-4 flex flex-col gap-3">
      <FormProblem problem={choose.error ? refusalMessage(choose.error) : null} />
      <SelectField
        label="Header row"
        className="w-96 max-w-full"
        choices={choices.map((choice) => ({
          value: String(choice.row),
          label: `Row ${formatCount(choice.row)}: ${choice.text}`,
        }))}
        value={String(choose.variables?.row ?? row)}
        aria-busy={choose.isPending}
        onChange={({ currentTarget: { value } }) => {
          if (!choose.isPending) choose.mutate({ id, row: Number(value) })
        }}
      />
    </div>
  )
}
