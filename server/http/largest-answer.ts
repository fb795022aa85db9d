import { usualAnswerMaxBytes } from '../access/answer-size.ts'
import { api } from '../api.ts'

const procedures = api._def.procedures as object as Record<
  string,
  { _def: { meta?: { answerMaxBytes?: number } } } | undefined
>

/** Returns the maximum total size, in bytes, of the responses of these procedures. */
export const largestAnswerOf = (names: readonly string[]): number =>
  names.reduce((sum, name) => sum + (procedures[name]?._def.meta?.answerMaxBytes ?? usualAnswerMaxBytes), 0)

export const procedureNames: readonly string[] = Object.keys(procedures)
