'use client'

import { refusalMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { FormProblem, SelectField } from '#app/ui/fields.tsx'
import { formatCount, formatIn } from '#app/ui/format.ts'
import type { Sample } from '#server/imports/import.ts'
import { type Encoding, encodings } from '#server/readers/encoding.ts'
import { utc } from '#server/values/zone.ts'

type Found<Name extends keyof Sample> = NonNullable<Sample[Name]>

/** Lets the operator choose how the file is read; it is then checked again. */
function Choice<Value extends string>({
  label,
  isLabelShown = false,
  choices,
  value,
  choose,
  problem,
}: {
  label: string
  isLabelShown?: boolean
  choices: readonly { value: Value; label: string }[]
  value: Value
  choose: {
    run: (value: Value) => void
    isPending: boolean
    error: Parameters<typeof refusalMessage>[0] | null
  }
  problem?: string | undefined
}) {
  return (
    <div className="flex flex-col gap-3">
      <FormProblem problem={choose.error ? refusalMessage(choose.error) : (problem ?? null)} />
      <SelectField
        label={label}
        isLabelShown={isLabelShown}
        className="w-96 max-w-full"
        choices={choices}
        value={value}
        aria-busy={choose.isPending}
        onChange={({ currentTarget }) => {
          if (!choose.isPending) choose.run(currentTarget.value as Value)
        }}
      />
    </div>
  )
}

/** Returns a function that refreshes the import with this id. */
function useRefresh(id: number) {
  const { imports } = trpc.useUtils()
  return { onSuccess: () => imports.one.invalidate({ id }) }
}

/** Lets the operator choose the sheet of a workbook. */
export function SheetChoice({
  id,
  sheets: { chosen, all },
  problem,
}: {
  id: number
  sheets: Found<'sheets'>
  problem: string | undefined
}) {
  const choose = trpc.imports.chooseSheet.useMutation(useRefresh(id))
  return (
    <Choice
      label="Sheet"
      choices={all.map((name) => ({ value: name, label: name }))}
      value={choose.variables?.sheet ?? chosen}
      choose={{ ...choose, run: (sheet) => choose.mutate({ id, sheet }) }}
      problem={problem}
    />
  )
}

/** Lets the operator choose the header row. */
export function HeaderChoice({ id, header: { row, choices } }: { id: number; header: Found<'header'> }) {
  const choose = trpc.imports.chooseHeader.useMutation(useRefresh(id))
  return (
    <Choice
      label="Header row"
      isLabelShown
      choices={choices.map((choice) => ({
        value: String(choice.row),
        label: `Row ${formatCount(choice.row)}: ${choice.text}`,
      }))}
      value={String(choose.variables?.row ?? row)}
      choose={{ ...choose, run: (value) => choose.mutate({ id, row: Number(value) }) }}
    />
  )
}

/** Lets the operator choose the order of day and month in dates with slashes. */
export function DateOrderChoice({
  id,
  dates: { dayFirst, text, days },
}: {
  id: number
  dates: Found<'dates'>
}) {
  const choose = trpc.imports.chooseDateOrder.useMutation(useRefresh(id))
  return (
    <Choice
      label="Order of day and month"
      choices={[
        { value: 'month', label: `Month first: ${dateText(text, days.monthFirst)}` },
        { value: 'day', label: `Day first: ${dateText(text, days.dayFirst)}` },
      ]}
      value={(choose.variables?.dayFirst ?? dayFirst) ? 'day' : 'month'}
      choose={{ ...choose, run: (value) => choose.mutate({ id, dayFirst: value === 'day' }) }}
    />
  )
}

/** Returns a date such as 3/4/2026 with its interpretation: `3/4/2026 is Mar 4, 2026`. */
const dateText = (text: string, day: string) =>
  `${text.split(/[ T]/)[0]} is ${formatIn(utc).formatInstant(`${day}T00:00:00.000Z`)}`

/** Lets the operator choose the decimal sign of numbers. */
export function DecimalChoice({
  id,
  numbers: { decimal, text, values },
}: {
  id: number
  numbers: Found<'numbers'>
}) {
  const choose = trpc.imports.chooseDecimal.useMutation(useRefresh(id))
  return (
    <Choice
      label="Decimal sign"
      choices={[
        { value: '.', label: `Decimal point: ${text} is ${formatCount(values.point)}` },
        { value: ',', label: `Decimal comma: ${text} is ${formatCount(values.comma)}` },
      ]}
      value={choose.variables?.decimal ?? decimal}
      choose={{ ...choose, run: (value) => choose.mutate({ id, decimal: value }) }}
    />
  )
}

/** Lets the operator choose the encoding of a text file by the words that each one yields. */
export function EncodingMenu({
  id,
  encoding: { chosen, choices },
}: {
  id: number
  encoding: Found<'encoding'>
}) {
  const choose = trpc.imports.chooseEncoding.useMutation(useRefresh(id))
  return (
    <Choice<Encoding>
      label="Encoding"
      choices={choices.map(({ encoding, words }) => ({
        value: encoding,
        label: `${words.join(', ')} (${encodings[encoding]})`,
      }))}
      value={choose.variables?.encoding ?? chosen}
      choose={{ ...choose, run: (encoding) => choose.mutate({ id, encoding }) }}
    />
  )
}
