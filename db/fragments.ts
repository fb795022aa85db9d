import type { Fragment, ISql } from 'postgres'

// Conditions with `or` must be in parentheses.

/** Returns the conjunction of conditions; true without any. */
export const allOf = (sql: ISql, conditions: readonly Fragment[]): Fragment =>
  conditions.length === 0 ? sql`true` : conditions.reduce((all, each) => sql`${all} and ${each}`)

/** Returns the disjunction of conditions; false without any. */
export const anyOf = (sql: ISql, conditions: readonly Fragment[]): Fragment =>
  conditions.length === 0 ? sql`false` : conditions.reduce((any, each) => sql`${any} or ${each}`)

/** Combines bits into an integer; each bit is 0 or distinct. */
export const bitsOf = (sql: ISql, bits: readonly Fragment[]): Fragment =>
  bits.reduce((all, each) => sql`${all} | ${each}`)

/** Joins parts by commas, such as columns. */
export const listed = (sql: ISql, parts: readonly Fragment[]): Fragment =>
  parts.reduce((all, each) => sql`${all}, ${each}`)

/** Joins parts by spaces, such as the `when`s of a `case`. */
export const inRow = (sql: ISql, parts: readonly Fragment[]): Fragment =>
  parts.reduce((all, each) => sql`${all} ${each}`)
