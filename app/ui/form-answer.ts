import type { z } from 'zod'

/** Response of a server action to an invalid form. */
export interface FormAnswer {
  /** Values to keep in the form. Never contains passwords. */
  typed: Record<string, string>
  wrong: string[]
  problem: string | null
}

/** Initial value, before the form is submitted. */
export const noAnswer: FormAnswer = { typed: {}, wrong: [], problem: null }

/** Validates the text fields of a form. Returns the data, or a response that names invalid fields. */
export function readForm<T>(
  schema: z.ZodType<T>,
  form: FormData,
): { data?: T | undefined; answer: FormAnswer } {
  const texts = [...form].filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  const { data, error } = schema.safeParse(Object.fromEntries(texts))
  const typed = Object.fromEntries(texts.filter(([name]) => name === 'email' || name === 'name'))
  return {
    data,
    answer: { typed, wrong: [...new Set(error?.issues.map(({ path }) => String(path[0])))], problem: null },
  }
}
