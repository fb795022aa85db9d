'use client'

import { zodResolver } from '@hookform/resolvers/zod'
import { unstable_rethrow as rethrow } from 'next/navigation'
import { type FormEvent, useActionState, useState, useTransition } from 'react'
import { type FieldValues, type Path, type PathValue, useForm } from 'react-hook-form'
import type { z } from 'zod'
import type { FormAnswer } from './form-answer.ts'

const unreachable = 'Could not connect. Check your connection, then reload this page and try again.'

/** Connects a form, validated by `schema`, to a server action. A rejection clears and focuses `secret`. */
export function useActionForm<Values extends FieldValues>(
  schema: z.ZodType<FieldValues, Values>,
  action: (last: FormAnswer, form: FormData) => Promise<FormAnswer>,
  first: FormAnswer,
  secret?: Path<Values>,
) {
  const [served, serve] = useActionState(action, first)
  const [fetched, setFetched] = useState<FormAnswer | null>(null)
  const [busy, startTransition] = useTransition()
  const {
    register,
    handleSubmit,
    setFocus,
    setValue,
    formState: { errors },
  } = useForm<Values, unknown, FieldValues>({ resolver: zodResolver(schema) })
  const answer = fetched ?? served

  async function send(form: FormData) {
    try {
      setFetched(await action(answer, form))
    } catch (error) {
      // Next throws redirects as errors, which must not be caught here.
      rethrow(error)
      return setFetched({ ...answer, problem: unreachable })
    }
    if (secret === undefined) return
    setValue(secret, '' as PathValue<Values, typeof secret>)
    setFocus(secret)
  }

  return {
    busy,
    problem: busy ? null : answer.problem,
    form: {
      action: serve,
      noValidate: true,
      onSubmit(event: FormEvent<HTMLFormElement>) {
        const form = new FormData(event.currentTarget, (event.nativeEvent as SubmitEvent).submitter)
        void handleSubmit(() => {
          if (!busy) startTransition(() => send(form))
        })(event)
      },
    },
    /** Returns the props of a field, with `error` as its message if the field is invalid. */
    field: (name: Path<Values>, error: string) => ({
      ...register(name),
      defaultValue: answer.typed[name],
      error: name in errors || answer.wrong.includes(name) ? error : undefined,
    }),
  }
}
