import type { z } from 'zod'
import { ApiError } from '../errors.ts'
import { unknownParameter } from '../search/parameters.ts'

// For shorter names, too many other names differ by a single letter.
const lettersMin = 3

/** Returns the known name that differs only in case or in one letter, or undefined. */
export function similarName(name: string, known: readonly string[]): string | undefined {
  if (known.includes(name)) return undefined
  const lower = name.toLowerCase()
  return known.find((other) => {
    const otherLower = other.toLowerCase()
    return lower === otherLower || (otherLower.length >= lettersMin && isOneLetterAway(lower, otherLower))
  })
}

/** Returns true if the texts differ by exactly one added, missing or replaced letter. */
function isOneLetterAway(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a]
  if (long.length - short.length > 1) return false
  let at = 0
  while (at < short.length && short[at] === long[at]) at++
  const rest = short.slice(long.length === short.length ? at + 1 : at)
  return /[\w-]/.test(long[at]!) && rest === long.slice(at + 1)
}

/** Rejects misspelled parameters. Ignores all other unknown parameters. @throws ApiError 400 */
export function rejectMisspelledParameters(search: string, known: readonly string[]): void {
  if (search === '' || known.length === 0) return
  rejectMisspelled(misspelled(new Set(new URLSearchParams(search).keys()), known, '', 'parameter'))
}

/** Rejects unknown parameters. The error suggests the most similar known name. @throws ApiError 400 */
export function rejectUnknownParameters(search: string, known: readonly string[]): void {
  const unknown = [...new Set(new URLSearchParams(search).keys())].filter((name) => !known.includes(name))
  rejectMisspelled(
    unknown.slice(0, listedMax).map((name) => `${cutName(name)}: ${unknownParameter(name, known)}`),
  )
}

const nameMax = 100
const cutName = (name: string) => name.slice(0, nameMax).toWellFormed()

/** Rejects misspelled keys in a body. Ignores all other unknown keys. @throws ApiError 400 */
export function rejectMisspelledKeys(body: unknown, schema: z.core.$ZodType): void {
  rejectMisspelled([...misspelledWithin(body, schema, '')])
}

// A body can have half a million keys, so the error lists only the first ones.
const listedMax = 20

function rejectMisspelled(errors: string[]): void {
  if (errors.length > 0)
    throw new ApiError('BAD_REQUEST', 'The request is not valid', { errors: errors.slice(0, listedMax) })
}

function misspelled(names: Iterable<string>, known: readonly string[], path: string, what: string): string[] {
  return [...names].flatMap((name) => {
    const similar = similarName(name, known)
    return similar === undefined ? [] : [`${path}${name}: unknown ${what}; did you mean ${similar}?`]
  })
}

/** Yields the misspelled keys of a value, including those of nested objects. */
function* misspelledWithin(value: unknown, schema: z.core.$ZodType, path: string): Generator<string> {
  const { def } = described(schema)._zod as { def: { type: string } & Record<string, any> }
  if (def.type === 'array' && Array.isArray(value)) {
    for (const [index, item] of value.entries())
      yield* misspelledWithin(item, def['element'], `${path}${index}.`)
  } else if (def.type === 'object' && typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const shape = def['shape'] as Record<string, z.core.$ZodType>
    yield* misspelled(Object.keys(value), Object.keys(shape), path, 'key')
    for (const [key, part] of Object.entries(shape))
      if (Object.hasOwn(value, key))
        yield* misspelledWithin((value as Record<string, unknown>)[key], part, `${path}${key}.`)
  }
}

/** Unwraps optional, nullable and preprocessing schemas. */
function described(schema: z.core.$ZodType): z.core.$ZodType {
  const def = schema._zod.def as { type: string } & Record<string, any>
  if (def.type === 'optional' || def.type === 'nullable' || def.type === 'default')
    return described(def['innerType'])
  if (def.type !== 'pipe') return schema
  return described(def['in']._zod.def.type === 'transform' ? def['out'] : def['in'])
}
