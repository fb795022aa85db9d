import type { z } from 'zod'

/** What a server action says of a form that it did not accept. */
export interface FormAnswer {
  /** What was typed, to stand in the form again; never passwords. */
  typed: Record<string, string>
  /** The names of the fields that are wrong. */
  wrong: string[]
  /** What else is wrong, in words. */
  problem: string | null
}

/** The answer while nothing was sent. */
export const noAnswer: FormAnswer = { typed: {}, wrong: [], problem: null }

/** The fields of a form that are texts: checked, or else which of them are wrong. What was typed is kept but for passwords. */
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
