'use client'

import { zodResolver } from '@hookform/resolvers/zod'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { BeginImport } from '#server/imports/wire.ts'

/** A file to upload and its import. */
export interface Begun {
  id: number
  file: File
}

/** Returns the state of the form that begins an import, of `partner` if it is set. */
export function useBeginImport(partner: string | null, onBegun: (begun: Begun) => void) {
  const [file, setFile] = useState<File | null>(null)
  const {
    register,
    handleSubmit,
    setValue,
    setError,
    formState: { errors },
  } = useForm({
    resolver: zodResolver(BeginImport),
    defaultValues: { fileName: '', sizeBytes: 1, partner, events: true },
  })
  const { imports } = trpc.useUtils()
  const begin = trpc.imports.begin.useMutation({
    onSuccess: async ({ id }) => {
      onBegun({ id, file: file! })
      await imports.list.invalidate()
    },
    onError({ data }) {
      for (const error of data?.errors ?? []) {
        const [, field, reason] = /^(fileName|sizeBytes|partner): (.*)$/.exec(error) ?? []
        if (field !== undefined) setError(field as 'partner', { message: reason! })
      }
    },
  })
  const isFieldWrong = begin.error?.data?.code === 'BAD_REQUEST'
  const fileProblem = sentenceOf(errors.sizeBytes?.message ?? errors.fileName?.message)
  return {
    register,
    file,
    choose(chosen: File | undefined) {
      if (chosen === undefined) return
      setFile(chosen)
      setValue('fileName', chosen.name.slice(-1000))
      setValue('sizeBytes', chosen.size, { shouldValidate: true })
    },
    submit: handleSubmit((values) => {
      if (!begin.isPending) begin.mutate(values)
    }),
    isPending: begin.isPending,
    problem: begin.error === null || isFieldWrong ? null : failureMessage(begin.error),
    problems: {
      file: file === null ? errors.fileName && 'Choose a file.' : fileProblem,
      partner: sentenceOf(errors.partner?.message),
    },
  }
}

const sentenceOf = (reason: string | undefined) =>
  reason && `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`
