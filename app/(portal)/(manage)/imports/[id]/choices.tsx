'use client'

import { refusalMessage } from '#app/ui/failure-message.ts'
import { FormProblem, SelectField } from '#app/ui/fields.tsx'
import { formatCount, formatIn } from '#app/ui/format.ts'
import type { Sample } from '#server/imports/import.ts'
import { type Encoding, encodings } from '#server/readers/file-source.ts'
import { utc } from '#server/values/zone.ts'
import { ImportPart, useChoose } from './part.tsx'

/** Shows a choice about how to read the file. After a change, the server checks the file again. */
function Choice<Value extends string>({
  title,
  about,
  label = title,
  choices,
  value,
  choose: { isPending, error },
  onChoose,
  problem = null,
}: {
  title: string
  about: string
  label?: string
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

interface Props {
  id: number
  sample: Sample
}

/** Lets the operator choose the sheet of a workbook, the encoding of a text file, and the header row. */
export function FileChoices({ id, sample: { sheets, sheetProblem, encoding, header } }: Props) {
  const sheet = useChoose(id)
  const encode = useChoose(id)
  const head = useChoose(id)
  return (
    <>
      {sheets !== undefined && sheets.all.length > 1 && (
        <Choice
          title="Sheet"
          about={`The workbook has several sheets; one is imported.${alikeText(sheets.alike)}`}
          choices={sheets.all.map((name) => ({ value: name, label: name }))}
          value={sheet.variables?.sheet ?? sheets.chosen}
          choose={sheet}
          onChoose={(name) => sheet.mutate({ id, sheet: name })}
          problem={sheetProblem ?? null}
        />
      )}
      {encoding !== undefined && encoding.choices.length > 1 && (
        <Choice<Encoding>
          title="Encoding"
          about="How letters with accents are read. Choose the line that looks right."
          choices={encoding.choices.map(({ encoding: value, words }) => ({
            value,
            label: `${words.join(', ')} (${encodings[value]})`,
          }))}
          value={encode.variables?.encoding ?? encoding.chosen}
          choose={encode}
          onChoose={(value) => encode.mutate({ id, encoding: value })}
        />
      )}
      {header !== undefined && header.choices.length > 1 && (
        <Choice
          title="Header row"
          about="The row with the titles of the columns."
          choices={header.choices.map(({ row, text }) => ({
            value: String(row),
            label: `Row ${formatCount(row)}: ${text}`,
          }))}
          value={String(head.variables?.row ?? header.row)}
          choose={head}
          onChoose={(value) => head.mutate({ id, row: Number(value) })}
        />
      )}
    </>
  )
}

/** Returns a sentence that names other sheets with similar content; empty if there are none. */
const alikeText = (alike: string[] = []) =>
  alike.length === 0 ? '' : ` ${alike.join(', ')} ${alike.length === 1 ? 'looks' : 'look'} like it.`

/** Lets the operator choose how ambiguous dates and numbers are read. */
export function ValueChoices({ id, sample: { dates, numbers } }: Props) {
  const order = useChoose(id)
  const sign = useChoose(id)
  return (
    <>
      {dates !== undefined && (
        <Choice
          title="Dates"
          about={`The day and the month of dates such as “${dates.text}” in ${dates.title || 'a column'} can be swapped. Check that they are read correctly.`}
          label="Order of day and month"
          choices={[
            { value: 'month', label: `Month first: ${dateText(dates.text, dates.days.monthFirst)}` },
            { value: 'day', label: `Day first: ${dateText(dates.text, dates.days.dayFirst)}` },
          ]}
          value={(order.variables?.dayFirst ?? dates.dayFirst) ? 'day' : 'month'}
          choose={order}
          onChoose={(value) => order.mutate({ id, dayFirst: value === 'day' })}
        />
      )}
      {numbers !== undefined && (
        <Choice
          title="Numbers"
          about={`Numbers such as “${numbers.text}” in ${numbers.title || 'a column'} can be read in two ways. Check that they are read correctly.`}
          label="Decimal sign"
          choices={[
            { value: '.', label: `Decimal point: ${numbers.text} is ${formatCount(numbers.values.point)}` },
            { value: ',', label: `Decimal comma: ${numbers.text} is ${formatCount(numbers.values.comma)}` },
          ]}
          value={sign.variables?.decimal ?? numbers.decimal}
          choose={sign}
          onChoose={(value) => sign.mutate({ id, decimal: value })}
        />
      )}
    </>
  )
}

/** Returns an ambiguous date and its interpretation: `3/4/2026 is Mar 4, 2026`. */
const dateText = (text: string, day: string) =>
  `${text.split(/[ T]/)[0]} is ${formatIn(utc).formatInstant(`${day}T00:00:00.000Z`)}`
