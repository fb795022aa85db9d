'use client'

import { trpc } from '#app/trpc.ts'
import { refusalMessage } from '#app/ui/failure-message.ts'
import { FormProblem, SelectField } from '#app/ui/fields.tsx'
import { formatCount, formatIn } from '#app/ui/format.ts'
import type { Sample } from '#server/imports/import.ts'
import { type Encoding, encodings } from '#server/readers/file-source.ts'
import { utc } from '#server/values/zone.ts'
import { ImportPart } from './part.tsx'

type Found<Name extends keyof Sample> = NonNullable<Sample[Name]>

/** Shows a choice about how to read the file. After a change, the server checks the file again. */
function Choice<Value extends string>({
  title,
  about,
  label,
  choices,
  value,
  choose: { isPending, error },
  onChoose,
  problem = null,
}: {
  title: string
  about: string
  label: string
  choices: readonly { value: Value; label: string }[]
  value: Value
  choose: { isPending: boolean; error: Parameters<typeof refusalMessage>[0] | null }
  onChoose: (value: Value) => void
  problem?: string | null
}) {
  return (
    <ImportPart title={title} about={about}>
      <div className="flex flex-col gap-3">
        <FormProblem problem={error ? refusalMessage(error) : problem} />
        <SelectField
          label={label}
          isLabelShown={false}
          className="w-96 max-w-full"
          choices={choices}
          value={value}
          aria-busy={isPending}
          onChange={({ currentTarget }) => isPending || onChoose(currentTarget.value as Value)}
        />
      </div>
    </ImportPart>
  )
}

/** Returns a function that reloads the import. */
function useRefresh(id: number) {
  const { imports } = trpc.useUtils()
  return { onSuccess: () => imports.one.invalidate({ id }) }
}

/** Lets the operator choose the sheet of a workbook. */
export function SheetChoice({
  id,
  sheets: { chosen, all, alike = [] },
  problem,
}: {
  id: number
  sheets: Found<'sheets'>
  problem: string | undefined
}) {
  const choose = trpc.imports.chooseSheet.useMutation(useRefresh(id))
  return (
    <Choice
      title="Sheet"
      about={`The workbook has several sheets; one is imported.${alikeText(alike)}`}
      label="Sheet"
      choices={all.map((name) => ({ value: name, label: name }))}
      value={choose.variables?.sheet ?? chosen}
      choose={choose}
      onChoose={(sheet) => choose.mutate({ id, sheet })}
      problem={problem ?? null}
    />
  )
}

/** Returns a sentence that names other sheets with similar content; empty if there are none. */
const alikeText = (alike: string[]) =>
  alike.length === 0 ? '' : ` ${alike.join(', ')} ${alike.length === 1 ? 'looks' : 'look'} like it.`

/** Lets the operator choose the header row. */
export function HeaderChoice({ id, header: { row, choices } }: { id: number; header: Found<'header'> }) {
  const choose = trpc.imports.chooseHeader.useMutation(useRefresh(id))
  return (
    <Choice
      title="Header row"
      about="The row with the titles of the columns."
      label="Header row"
      choices={choices.map((choice) => ({
        value: String(choice.row),
        label: `Row ${formatCount(choice.row)}: ${choice.text}`,
      }))}
      value={String(choose.variables?.row ?? row)}
      choose={choose}
      onChoose={(value) => choose.mutate({ id, row: Number(value) })}
    />
  )
}

/** Lets the operator choose whether dates with slashes begin with the day or the month. */
export function DateOrderChoice({
  id,
  dates: { dayFirst, text, title, days },
}: {
  id: number
  dates: Found<'dates'>
}) {
  const choose = trpc.imports.chooseDateOrder.useMutation(useRefresh(id))
  return (
    <Choice
      title="Dates"
      about={`The day and the month of dates such as “${text}” in ${title || 'a column'} can be swapped. Check that they are read correctly.`}
      label="Order of day and month"
      choices={[
        { value: 'month', label: `Month first: ${dateText(text, days.monthFirst)}` },
        { value: 'day', label: `Day first: ${dateText(text, days.dayFirst)}` },
      ]}
      value={(choose.variables?.dayFirst ?? dayFirst) ? 'day' : 'month'}
      choose={choose}
      onChoose={(value) => choose.mutate({ id, dayFirst: value === 'day' })}
    />
  )
}

/** Returns an ambiguous date and its interpretation: `3/4/2026 is Mar 4, 2026`. */
const dateText = (text: string, day: string) =>
  `${text.split(/[ T]/)[0]} is ${formatIn(utc).formatInstant(`${day}T00:00:00.000Z`)}`

/** Lets the operator choose the decimal sign of numbers. */
export function DecimalChoice({
  id,
  numbers: { decimal, text, title, values },
}: {
  id: number
  numbers: Found<'numbers'>
}) {
  const choose = trpc.imports.chooseDecimal.useMutation(useRefresh(id))
  return (
    <Choice
      title="Numbers"
      about={`Numbers such as “${text}” in ${title || 'a column'} can be read in two ways. Check that they are read correctly.`}
      label="Decimal sign"
      choices={[
        { value: '.', label: `Decimal point: ${text} is ${formatCount(values.point)}` },
        { value: ',', label: `Decimal comma: ${text} is ${formatCount(values.comma)}` },
      ]}
      value={choose.variables?.decimal ?? decimal}
      choose={choose}
      onChoose={(value) => choose.mutate({ id, decimal: value })}
    />
  )
}

/** Lets the operator choose the encoding of a text file by comparing sample words. */
export function EncodingChoice({
  id,
  encoding: { chosen, choices },
}: {
  id: number
  encoding: Found<'encoding'>
}) {
  const choose = trpc.imports.chooseEncoding.useMutation(useRefresh(id))
  return (
    <Choice<Encoding>
      title="Encoding"
      about="How letters with accents are read. Choose the line that looks right."
      label="Encoding"
      choices={choices.map(({ encoding, words }) => ({
        value: encoding,
        label: `${words.join(', ')} (${encodings[encoding]})`,
      }))}
      value={choose.variables?.encoding ?? chosen}
      choose={choose}
      onChoose={(encoding) => choose.mutate({ id, encoding })}
    />
  )
}
