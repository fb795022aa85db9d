import { cleaned, trimmed, isPlaceholder } from './clean.ts'
import { orderEvidence, timeReader } from './date.ts'
import { flagOf, isBox, isOpenFlag } from './flag.ts'
import { idDigits, decimalEvidence, type DecimalSign, parseNumber } from './number.ts'
import { splitPlace } from './place.ts'
import { isState } from './states.ts'
import type { ValueFormat } from './value.ts'
import { type Zone, utc } from './zone.ts'

const readDate = timeReader(undefined, utc)
const readDayFirst = timeReader(true, utc)

const isDate = (text: string) =>
  /\d/.test(text) &&
  !/^\d+(?:\.\d+)?$/.test(text) &&
  [readDate, readDayFirst].some((read) => typeof read(text) === 'string')

/** Tests whether a string has each kind of content. */
const contents = {
  flag: (text: string) => flagOf(text) !== undefined || isOpenFlag(text),
  box: isBox,
  count: (text: string) => /^\d{1,4}(?:[.,]0)?$/.test(text),
  id: (text: string) => {
    const digits = idDigits(text, '.')
    return digits !== null && digits.length >= (text.startsWith('#') ? 3 : 6)
  },
  number: (text: string) => parseNumber(text, '.') !== null || parseNumber(text, ',') !== null,
  money: (text: string) => /\p{Sc}|\b(?:USD|CAD|MXN|EUR)\b/u.test(text) && parseNumber(text, '.') !== null,
  date: isDate,
  digits: (text: string) => /\d/.test(text),
  email: (text: string) => /^[^\s@]{1,64}@[^\s@.]{1,64}(?:\.[^\s@.]{1,64}){1,8}$/.test(text),
  phone: (text: string) => /^\+?[\d\s().x/-]{7,30}$/i.test(text) && isPhone(text),
  zip: (text: string) => /^\d{5}(?:-\d{4})?(?:\.0)?$/.test(text),
  url: (text: string) => /^https?:\/\/[^\s]/.test(text.slice(0, 9).toLowerCase()) && !/\s/.test(text),
  coordinates: (text: string) => /^-?\d{1,3}\.\d{3,20}, ?-?\d{1,3}\.\d{3,20}$/.test(text),
  state: isState,
  cityStateZip: (text: string) => splitPlace.cityStateZip(text) !== null,
  fullAddress: (text: string) => splitPlace.fullAddress(text) !== null,
} satisfies Record<string, (text: string) => boolean>

function isPhone(text: string): boolean {
  const digits = text.replaceAll(/\D/g, '')
  return digits.length === 10 || (digits.length === 11 && digits.startsWith('1'))
}

export type Content = keyof typeof contents

/** Returns true if a trimmed text has this content. */
export const isContent = (content: Content, text: string) => contents[content](text)

const exampleMaxLength = 100
const examplesMax = 3

// A kind of content is no longer tested after this many more misses than hits.
const missesMax = 50

// Maximum number of cached shapes. Numbers, dates, phone numbers, and words have few shapes in a column.
// Testing every value took fifteen times as long.
const shapesMax = 1000
const shapeMaxLength = 40
const digit = /\d/g

/** Counts the kinds of content in a column, which determine the field and the format. */
export class ColumnTally {
  /** Number of values that are neither empty nor placeholders. */
  filled = 0
  empty = 0
  /** The first distinct values. */
  readonly examples: string[] = []
  readonly #counts = new Map<Content, number>()
  readonly #shapes = new Map<string, Content[]>()
  readonly #tests = Object.entries(contents).map(([content, is]) => ({
    content: content as Content,
    is,
    misses: 0,
  }))
  readonly #signs = { '.': 0, ',': 0, open: { '.': null as string | null, ',': null as string | null } }
  readonly #orders = { day: 0, month: 0, dots: 0, all: 0, example: null as string | null }

  add(text: string): void {
    const value = trimmed(text)
    if (value === '' || isPlaceholder(value)) {
      this.empty++
      return
    }
    this.filled++
    if (this.examples.length < examplesMax && !this.examples.includes(value.slice(0, exampleMaxLength)))
      this.examples.push(value.slice(0, exampleMaxLength).toWellFormed())
    const inner = cleaned(value).slice(0, exampleMaxLength)
    for (const content of this.#contentsOf(inner)) {
      this.#counts.set(content, this.count(content) + 1)
      if (content === 'number') this.#addNumber(inner)
      if (content === 'date') this.#addDate(inner)
    }
  }

  /**
   * Returns the possible kinds of content of a value. Values that differ only in digits have the same kinds.
   */
  #contentsOf(value: string): Content[] {
    if (value.length > shapeMaxLength) return this.#test(value)
    // For short values, the digits matter as well: 1 means "yes".
    const shape = value.length > 3 ? value.replaceAll(digit, '9') : value
    const known = this.#shapes.get(shape)
    if (known !== undefined) return known
    const found = this.#test(value)
    if (this.#shapes.size < shapesMax) this.#shapes.set(shape, found)
    return found
  }

  #test(value: string): Content[] {
    const found: Content[] = []
    for (const test of this.#tests) {
      if (test.misses - this.count(test.content) > missesMax) continue
      if (test.is(value)) found.push(test.content)
      else test.misses++
    }
    return found
  }

  /** Returns the number of values with this kind of content. */
  count(content: Content): number {
    return this.#counts.get(content) ?? 0
  }

  /** Returns true if there are values and all have this kind of content. */
  all(content: Content): boolean {
    return this.filled > 0 && this.count(content) === this.filled
  }

  /**
   * Returns the decimal sign, or null if no numbers need one. `isOpen` is set if the sign in numbers such as
   * the example, `25.200`, could also separate thousands, and no other number settles the question.
   */
  decimal(): { sign: DecimalSign; isOpen: boolean; example: string | null } | null {
    const { '.': points, ',': commas, open } = this.#signs
    const example = open['.'] ?? open[',']
    if (points + commas === 0 && example === null) return null
    const sign = commas > points ? ',' : '.'
    // If nothing else settles the question, the comma in `25,200` separates thousands, as in the United
    // States.
    const isOpen = points > 0 && commas > 0 ? example !== null : points + commas === 0 && open['.'] !== null
    return { sign, isOpen, example: isOpen ? example : null }
  }

  /**
   * Returns whether dates have the day before the month, or null if no date depends on the order. `isOpen` is
   * set if the other order would change dates such as the example, and no other date settles the question.
   */
  dateOrder(): { dayFirst: boolean; isOpen: boolean; example: string | null } | null {
    const { day, month, dots, all, example } = this.#orders
    if (all === 0) return null
    const isDecided = day > 0 !== month > 0
    const dayFirst = isDecided ? day > 0 : day + month === 0 && dots === all
    return { dayFirst, isOpen: !isDecided && example !== null, example }
  }

  /** Returns the format of the values. Defaults to the conventions of the United States. */
  format(zone: Zone = utc): ValueFormat {
    const order = this.dateOrder()
    return {
      decimal: this.decimal()?.sign ?? '.',
      ...(order && { dayFirst: order.dayFirst }),
      zone,
      // In a column of checkboxes, an empty cell means "no".
      isBoxes: this.all('box'),
    }
  }

  #addNumber(text: string): void {
    if (!text.includes('.') && !text.includes(',')) return
    const evidence = decimalEvidence(text)
    if (evidence === null) return
    if (evidence === 'open') this.#signs.open[text.includes('.') ? '.' : ','] ??= text
    else this.#signs[evidence]++
  }

  #addDate(text: string): void {
    const evidence = orderEvidence(text)
    if (evidence === null) return
    const orders = this.#orders
    orders.all++
    if (/^\d{1,2}\./.test(text)) orders.dots++
    if (evidence === 'day' || evidence === 'month') orders[evidence]++
    else if (evidence === 'either') orders.example ??= text
  }
}
