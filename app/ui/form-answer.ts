import type { z } from 'zod'

/** The response of a server action to an invalid form. */
export interface FormAnswer {
  /** The values to keep in the form; never passwords. */
  typed: Record<string, string>
  /** The names of the invalid fields. */
  wrong: string[]
  /** Any other problem, as a message. */
  problem: string | null
}

/** The value before the form is sent. */
export const noAnswer: FormAnswer = { typed: {}, wrong: [], problem: null }

/** Validates the text fields of a form. Returns the data, or a response that names the invalid fields. */
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
