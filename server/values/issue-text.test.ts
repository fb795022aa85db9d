import { expect, test } from 'vitest'
import { z } from 'zod'
import { toApiError } from '../errors.ts'
import './issue-text.ts'

const linesOf = (schema: z.ZodType, value: unknown) => {
  const { error } = schema.safeParse(value)
  return toApiError(error).errors
}

test.each([
  ['another type', z.string(), 5, 'must be a string'],
  ['a number as text', z.number(), '5', 'must be a number'],
  ['a fraction', z.int(), 1.5, 'must be a whole number'],
  ['a missing value', z.string(), undefined, 'is required'],
  ['null', z.boolean(), null, 'must be true or false'],
  ['a list', z.object({}), [], 'must be an object'],
  ['no list', z.array(z.string()), {}, 'must be an array'],
  ['no date', z.date(), 'today', 'must be a date'],
  ['an instance of something else', z.instanceof(Uint8Array), 5, 'is not valid'],
  ['none of the options', z.enum(['3', '12']), '7', 'must be 3 or 12'],
  ['none of many options', z.enum(['a', 'b', 'c']), '7', 'must be a, b or c'],
  ['another literal', z.literal(true), false, 'must be true'],
  ['a large number', z.number().max(10), 11, 'must be at most 10'],
  ['a small number', z.number().min(1), 0, 'must be at least 1'],
  ['an int64', z.bigint().max(5n), 6n, 'must be at most 5'],
  ['long text', z.string().max(3), 'abcd', 'must be at most 3 characters long'],
  ['short text', z.string().min(8), 'abcd', 'must be at least 8 characters long'],
  ['empty text', z.string().min(1), '', 'must not be empty'],
  ['a long list', z.array(z.number()).max(1), [1, 2], 'must have at most 1 item'],
  ['an empty list', z.array(z.number()).min(1), [], 'must not be empty'],
  ['an early date', z.date().min(new Date('1970-01-01')), new Date(-1), 'must not be before 1970-01-01'],
  ['an e-mail address', z.email(), 'x', 'must be an e-mail address'],
  ['a date-time', z.iso.datetime(), 'x', 'must be an ISO 8601 date-time such as 2026-03-01T17:20:05.000Z'],
  ['a pattern', z.string().regex(/^a$/), 'x', 'is not valid'],
  ['a step', z.number().multipleOf(5), 3, 'must be a multiple of 5'],
  ['an unknown key', z.strictObject({}), { a: 1 }, 'must not have "a"'],
  ['a union', z.union([z.string(), z.number()]), true, 'is not valid'],
  ['our own message', z.string({ error: 'must be text' }), 5, 'must be text'],
])('describes the issue %s in our words', (_, schema, value, text) => {
  expect(linesOf(schema, value)).toEqual([text])
})
