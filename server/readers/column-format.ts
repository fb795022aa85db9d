import { valueKindOf } from '../deals/deal.ts'
import type { ColumnTally } from '../values/column.ts'
import type { DecimalSign } from '../values/number.ts'
import { splitUnit } from '../values/size.ts'
import { type ValueFormat, readerOf } from '../values/value.ts'
import { type Zone, utc } from '../values/zone.ts'
import type { FormatChoice, OpenValues } from './file-source.ts'

/** A column and the field that it is read as. */
interface ReadColumn {
  title: string
  field: string
  zone: Zone | null
  tally: ColumnTally
}

/**
 * Returns the formats of columns. Ambiguous values are read as chosen, or else as in other columns of the
 * file, or else as in the United States.
 */
export function formatsOf(
  columns: readonly ReadColumn[],
  choice: Partial<FormatChoice>,
): { formats: ValueFormat[]; open: OpenValues } {
  const open: OpenValues = { dates: null, numbers: null }
  const shared = sharedOrder(columns)
  const decimal = choice.decimal ?? sharedSign(columns)
  const formats = columns.map(({ title, field, zone, tally }) => {
    const kind = valueKindOf(field)
    const format = {
      ...tally.format(zone ?? utc),
      ...(kind === 'size' && { sizeUnit: splitUnit(title).unit }),
    }
    const order = kind === 'time' ? tally.dateOrder() : null
    if (order?.example != null) {
      format.dayFirst = choice.dayFirst ?? (order.isOpen ? (shared ?? order.dayFirst) : order.dayFirst)
      // Month first is the default, so it is only reported if the dates are ambiguous.
      const isReported = order.isOpen || format.dayFirst || choice.dayFirst != null
      if (isReported) open.dates ??= { ...openDate(title, order.example), dayFirst: format.dayFirst }
    }
    const sign = kind === 'number' ? tally.decimal() : null
    if (sign?.isOpen) {
      format.decimal = decimal ?? sign.sign
      open.numbers ??= { ...openNumber(title, sign.example!), decimal: format.decimal }
    }
    return format
  })
  return { formats, open }
}

/** Returns the order of day and month if all unambiguous date columns share it, or null. */
function sharedOrder(columns: readonly ReadColumn[]): boolean | null {
  const orders = new Set(
    columns.flatMap(({ field, tally }) => {
      const order = valueKindOf(field) === 'time' ? tally.dateOrder() : null
      return order === null || order.isOpen ? [] : [order.dayFirst]
    }),
  )
  return orders.size === 1 ? [...orders][0]! : null
}

/** Returns the decimal sign if all unambiguous number columns share it, or null. */
function sharedSign(columns: readonly ReadColumn[]): DecimalSign | null {
  const signs = new Set(
    columns.flatMap(({ field, tally }) => {
      const sign = valueKindOf(field) === 'number' ? tally.decimal() : null
      return sign === null || sign.isOpen ? [] : [sign.sign]
    }),
  )
  return signs.size === 1 ? [...signs][0]! : null
}

function openDate(title: string, text: string) {
  const dayOf = (dayFirst: boolean) => String(readerOf('time', { dayFirst })(text)).slice(0, 10)
  return { title, text, days: { monthFirst: dayOf(false), dayFirst: dayOf(true) } }
}

function openNumber(title: string, text: string) {
  const valueOf = (decimal: DecimalSign) => Number(readerOf('number', { decimal })(text))
  return { title, text, values: { point: valueOf('.'), comma: valueOf(',') } }
}
