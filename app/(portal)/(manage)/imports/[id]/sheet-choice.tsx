'use client'

import { refusalMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { FormProblem } from '#app/ui/form-problem.tsx'
import { SelectField } from '#app/ui/select-field.tsx'
import type { Sample } from '#server/imports/import.ts'

/** Lets the operator choose the sheet of a workbook, which is then checked. */
export function SheetChoice({
  id,
  sheets: { chosen, all },
  problem,
}: {
  id: number
  sheets: NonNullable<Sample['sheets']>
  problem: string | undefined
}) {
  const { imports } = trpc.useUtils()
  const choose = trpc.imports.chooseSheet.useMutation({ onSuccess: () => imports.one.invalidate({ id }) })
  return (
    <div className="flex flex-col gap-3">
      <FormProblem problem={choose.error ? refusalMessage(choose.error) : (problem ?? null)} />
      <SelectField
        label="Sheet"
        isLabelShown={false}
        className="w-64 max-w-full"
        choices={all.map((name) => ({ value: name, label: name }))}
        value={choose.variables?.sheet ?? chosen}
        aria-busy={choose.isPending}
        onChange={({ currentTarget: { value: sheet } }) => {
          if (!choose.isPending) choose.mutate({ id, sheet })
        }}
      />
    </div>
  )
}
