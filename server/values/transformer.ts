import superjson from 'superjson'
import { parseInt64 } from './int64.ts'
import { Prepared } from './prepared.ts'

superjson.registerCustom<Prepared<unknown>, string>(
  {
    isApplicable: (value): value is Prepared<unknown> => value instanceof Prepared,
    serialize: ({ json }) => json ?? 'null',
    deserialize: (json) => new Prepared(json),
  },
  'prepared',
)

/** An input as JSON and, by path, the types of values that JSON cannot represent. */
interface SentInput {
  json: unknown
  meta?: { values: unknown }
}

/**
 * Encodes values between procedures and pages. Outputs are trusted and use all of superjson. Inputs use only
 * a small subset, because superjson lets a payload determine how much work decoding takes.
 */
export const transformer = { input: { serialize: writeInput, deserialize: readInput }, output: superjson }

function writeInput(input: unknown): SentInput {
  const { json, meta } = superjson.serialize(input)
  return meta?.values === undefined ? { json } : { json, meta: { values: meta.values } }
}

// tRPC responds with status 400.
const invalid = () =>
  new TypeError('an input is JSON with annotations of dates, integers and undefined values alone')

/**
 * Decoders for values that JSON cannot represent, by superjson's type name. A decoder returns null if the
 * JSON value does not fit.
 */
const readers: Record<string, (plain: unknown) => { value: unknown } | null> = {
  Date(plain) {
    const date = new Date(typeof plain === 'string' && plain.length <= 27 ? plain : NaN)
    return Number.isNaN(date.getTime()) || date.toISOString() !== plain ? null : { value: date }
  },
  bigint(plain) {
    const value = typeof plain === 'string' ? parseInt64(plain) : null
    return value === null ? null : { value }
  },
  undefined: (plain) => (plain === null ? { value: undefined } : null),
}

/**
 * Decodes an input from the browser in linear time.
 * @throws TypeError for an annotation of a type not in `readers`, or at a path that does not exist
 */
export function readInput(sent: unknown): unknown {
  if (!isObject(sent) || !Object.hasOwn(sent, 'json')) throw invalid()
  const { json, meta } = sent
  if (meta === undefined) return json
  if (!isObject(meta) || Object.keys(meta).some((key) => key !== 'values' && key !== 'v')) throw invalid()
  if (meta.values === undefined) return json
  // Adds a root object, so that the whole input is a value at a path like any other value.
  const root = { json }
  if (Array.isArray(meta.values)) apply(root, ['json'], meta.values)
  else if (isObject(meta.values))
    for (const [path, type] of Object.entries(meta.values)) apply(root, ['json', ...path.split('.')], type)
  else throw invalid()
  return root.json
}

/** Replaces the value at the path with the value that `annotation`, such as `['Date']`, describes. */
function apply(root: object, path: string[], annotation: unknown): void {
  const [type, ...rest] = Array.isArray(annotation) ? (annotation as unknown[]) : []
  if (typeof type !== 'string' || rest.length > 0 || !Object.hasOwn(readers, type)) throw invalid()
  const last = path.pop()!
  const parent = path.reduce<unknown>((node, segment) => childOf(node, segment), root)
  const read = readers[type]!(childOf(parent, last))
  if (read === null) throw invalid()
  ;(parent as Record<string, unknown>)[last] = read.value
}

// Inherited properties are not part of the input.
const inherited = new Set(['__proto__', 'constructor', 'prototype'])

function childOf(node: unknown, segment: string): unknown {
  if (typeof node !== 'object' || node === null || inherited.has(segment) || !Object.hasOwn(node, segment))
    throw invalid()
  return (node as Record<string, unknown>)[segment]
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
