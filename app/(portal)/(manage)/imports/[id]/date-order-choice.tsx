'use client'

import { refusalMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { FormProblem } from '#app/ui/form-problem.tsx'
import { formatIn } from '#app/ui/format.ts'
import { SelectField } from '#app/ui/select-field.tsx'
import type { Sample } from '#server/imports/import.ts'
import { utc } from '#server/protocol/zone.ts'

/** Lets the operator choose whether dates with slashes have the day or the month first; the file is then checked again. */
export function DateOrderChoice({
  id,
  dates: { dayFirst, text, days },
}: {
  id: number
  dates: NonNullable<Sample['dates']>
}) {
  const { imports } = trpc.useUtils()
  const choose = trpc.imports.chooseDateOrder.useMutation({
    onSuccess: () => imports.one.invalidate({ id }),
  })
  return (
    <div className="flex flex-col gap-3">
      <FormProblem problem={choose.error ? refusalMessage(choose.error) : null} />
      <SelectField
        label="Order of day and month"
        isLabelShown={false}
        className="w-96 max-w-full"
        choices={[
          { value: 'month', label: `Month first: ${dateText(text, days.monthFirst)}` },
          { value: 'day', label: `Day first: ${dateText(text, days.dayFirst)}` },
        ]}
        value={(choose.variables?.dayFirst ?? dayFirst) ? 'day' : 'month'}
        aria-busy={choose.isPending}
        onChange={({ currentTarget: { value } }) => {
          if (!choose.isPending) choose.mutate({ id, dayFirst: value === 'day' })
        }}
      />
    </div>
  )
}

/** Returns a date such as 3/4/2026 with the day that it is read as: `3/4/2026 is Mar 4, 2026`. */
const dateText = (text: string, day: string) =>
  `${text.split(/[ T]/)[0]} is ${formatIn(utc).formatInstant(`${day}T00:00:00.000Z`)}`
