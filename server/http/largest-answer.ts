import { usualAnswerMaxBytes } from '../access/answer-size.ts'
import { api } from '../api.ts'

const procedures = api._def.procedures as object as Record<
  string,
  { _def: { meta?: { answerMaxBytes?: number } } } | undefined
>

/** Returns the maximum size of the responses of these procedures together, in bytes. */
export const largestAnswerOf = (names: readonly string[]): number =>
  names.reduce((sum, name) => sum + (procedures[name]?._def.meta?.answerMaxBytes ?? usualAnswerMaxBytes), 0)

/** The names of all procedures. */
export const procedureNames: readonly string[] = Object.keys(procedures)
