import { z } from 'zod'
import './issue-text.ts'

// Building blocks of inputs. Each only accepts what PostgreSQL can store; any other value would cause an
// internal error.

// In a browser, the schemas of forms would try to compile code, which the Content-Security-Policy forbids and
// reports.
if (typeof document !== 'undefined') z.config({ jitless: true })

/** Returns a schema for text of at most `max` characters. */
export const text = (max: number) =>
  z
    .string()
    .max(max, { error: `must be at most ${max} characters long`, abort: true })
    .refine((value) => !value.includes('\0') && value.isWellFormed(), {
      error: 'must not contain NUL or broken surrogates',
    })

/** Returns a schema for a single line of at most `max` characters, without surrounding spaces. */
export const line = (max: number) =>
  z
    .string()
    .trim()
    .max(max, { error: `must be at most ${max} characters long`, abort: true })
    .regex(/^\P{Cc}*$/u, { error: 'must not contain control characters' })
    .refine((value) => value.isWellFormed(), { error: 'must not contain broken surrogates' })

/** A row id: an `integer` in PostgreSQL. */
export const RowId = z
  .int()
  .min(1)
  .max(2 ** 31 - 1)

/**
 * A row id in a table that grows without bound, or another count: a `bigint` in PostgreSQL that JSON
 * represents exactly.
 */
export const BigRowId = z.int().min(1)

/** A time between 1970 and 9999; PostgreSQL formats later years differently. */
export const Time = z.date().min(new Date('1970-01-01')).max(new Date('9999-12-31'))
