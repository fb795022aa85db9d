import type { Fragment, ISql } from 'postgres'

// A condition that contains `or` has its own parentheses.

/** Returns the condition that all of these are true; without any, true. */
export const allOf = (sql: ISql, conditions: readonly Fragment[]): Fragment =>
  conditions.length === 0 ? sql`true` : conditions.reduce((all, each) => sql`${all} and ${each}`)

/** Returns the condition that any of these is true; without any, false. */
export const anyOf = (sql: ISql, conditions: readonly Fragment[]): Fragment =>
  conditions.length === 0 ? sql`false` : conditions.reduce((any, each) => sql`${any} or ${each}`)

/** Combines bits into an integer; each bit is 0 or distinct. */
export const bitsOf = (sql: ISql, bits: readonly Fragment[]): Fragment =>
  bits.reduce((all, each) => sql`${all} | ${each}`)

/** Returns the parts with commas between them, as columns or members of an array. */
export const listed = (sql: ISql, parts: readonly Fragment[]): Fragment =>
  parts.reduce((all, each) => sql`${all}, ${each}`)

/** Returns the parts one after another, as the `when`s of a `case`. */
export const inRow = (sql: ISql, parts: readonly Fragment[]): Fragment =>
  parts.reduce((all, each) => sql`${all} ${each}`)
