import { z } from 'zod'

// What inputs are made of. Each holds only what PostgreSQL can: a value that it cannot would be a failure of ours.

// In a browser; there the schemas of forms would ask whether they may make code, which the policy of our pages forbids and reports.
if (typeof document !== 'undefined') z.config({ jitless: true })

/** Text of at most `max` characters. */
export const text = (max: number) =>
  z
    .string()
    .max(max, { error: `must be at most ${max} characters long`, abort: true })
    .refine((value) => !value.includes('\0') && value.isWellFormed(), {
      error: 'must not contain NUL or broken surrogates',
    })

/** Text on one line of at most `max` characters, without spaces around it. */
export const line = (max: number) =>
  z
    .string()
    .trim()
    .max(max, { error: `must be at most ${max} characters long`, abort: true })
    .regex(/^\P{Cc}*$/u, { error: 'must not contain control characters' })
    .refine((value) => value.isWellFormed(), { error: 'must not contain broken surrogates' })

/** The id of a row: an `integer` of PostgreSQL. */
export const RowId = z
  .int()
  .min(1)
  .max(2 ** 31 - 1)

/** The id of a row of a table that grows without end, or another count: a `bigint` of PostgreSQL that JSON holds exactly. */
export const BigRowId = z.int().min(1)

/** A time; nobody means one beyond, and PostgreSQL writes years of more than four digits otherwise. */
export const Time = z.date().min(new Date('1970-01-01')).max(new Date('9999-12-31'))
