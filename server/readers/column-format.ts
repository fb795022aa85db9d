import { valueKindOf } from '../deals/deal.ts'
import type { ColumnTally } from '../values/column.ts'
import type { DecimalSign } from '../values/number.ts'
import { splitUnit } from '../values/text.ts'
import { type ValueFormat, readerOf } from '../values/value.ts'
import { type Zone, utc } from '../values/zone.ts'
import type { FormatChoice, OpenValues } from './file-source.ts'

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
  const kinds = columns.map(({ field }) => valueKindOf(field))
  const orders = columns.map(({ tally }, at) => (kinds[at] === 'time' ? tally.dateOrder() : null))
  const signs = columns.map(({ tally }, at) => (kinds[at] === 'number' ? tally.decimal() : null))
  const dayFirst = sharedBy(orders, (order) => order.dayFirst)
  const decimal = choice.decimal ?? sharedBy(signs, ({ sign }) => sign)
  const formats = columns.map(({ title, zone, tally }, at) => {
    const format = {
      ...tally.format(zone ?? utc),
      ...(kinds[at] === 'size' && { sizeUnit: splitUnit(title).unit }),
    }
    const order = orders[at]
    if (order?.example != null) {
      format.dayFirst = choice.dayFirst ?? (order.isOpen ? (dayFirst ?? order.dayFirst) : order.dayFirst)
      // Month first is the default, so it is only reported if the dates are ambiguous.
      const isReported = order.isOpen || format.dayFirst || choice.dayFirst != null
      if (isReported) open.dates ??= { ...openDate(title, order.example), dayFirst: format.dayFirst }
    }
    const sign = signs[at]
    if (sign?.isOpen) {
      format.decimal = decimal ?? sign.sign
      open.numbers ??= { ...openNumber(title, sign.example!), decimal: format.decimal }
    }
    return format
  })
  return { formats, open }
}

function sharedBy<E extends { isOpen: boolean }, T>(evidence: (E | null)[], of: (each: E) => T): T | null {
  const values = new Set(evidence.flatMap((each) => (each === null || each.isOpen ? [] : [of(each)])))
  return values.size === 1 ? [...values][0]! : null
}

function openDate(title: string, text: string) {
  const dayOf = (dayFirst: boolean) => String(readerOf('time', { dayFirst })(text)).slice(0, 10)
  return { title, text, days: { monthFirst: dayOf(false), dayFirst: dayOf(true) } }
}

function openNumber(title: string, text: string) {
  const valueOf = (decimal: DecimalSign) => Number(readerOf('number', { decimal })(text))
  return { title, text, values: { point: valueOf('.'), comma: valueOf(',') } }
}
