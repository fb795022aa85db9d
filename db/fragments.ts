import type { Fragment, ISql } from 'postgres'

// Conditions that contain `or` must be in parentheses.

/** Combines conditions with `and`. Returns true if there are no conditions. */
export const allOf = (sql: ISql, conditions: readonly Fragment[]): Fragment =>
  conditions.length === 0 ? sql`true` : conditions.reduce((all, each) => sql`${all} and ${each}`)

/** Combines conditions with `or`. Returns false if there are no conditions. */
export const anyOf = (sql: ISql, conditions: readonly Fragment[]): Fragment =>
  conditions.length === 0 ? sql`false` : conditions.reduce((any, each) => sql`${any} or ${each}`)

/** Combines bits into an integer. Each bit is 0 or a different power of two. */
export const bitsOf = (sql: ISql, bits: readonly Fragment[]): Fragment =>
  bits.reduce((all, each) => sql`${all} | ${each}`)

/** Joins parts with commas, for example columns. */
export const listed = (sql: ISql, parts: readonly Fragment[]): Fragment =>
  parts.reduce((all, each) => sql`${all}, ${each}`)

/** Joins parts with spaces, for example the `when` branches of a `case`. */
export const inRow = (sql: ISql, parts: readonly Fragment[]): Fragment =>
  parts.reduce((all, each) => sql`${all} ${each}`)
