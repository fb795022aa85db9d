'use client'

import { useEffect, useMemo, useState } from 'react'
import { refusalMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { useRouter } from '#app/ui/use-router.ts'
import { useSettled } from '#app/ui/use-settled.ts'
import type { RowToCorrect, RowProblem } from './row-cells.ts'

// As long as a pause in typing.
const settledMs = 350

/** Texts that replace those of rows, by line and title. */
type Texts = Record<number, Record<string, string>>

/** Returns the corrections of an import's rejected rows, checked while they are typed, and what sends them. */
export function useCorrections(id: number, rows: RowToCorrect[]) {
  const router = useRouter()
  const { imports } = trpc.useUtils()
  const [texts, setTexts] = useState<Texts>({})
  const [faults, setFaults] = useState<RowProblem[] | null>(null)
  /** All faults that there were, so that a corrected cell stays where it is. */
  const [seen, setSeen] = useState<RowProblem[]>([])
  const settled = useSettled(texts, settledMs)
  const { mutate, ...check } = trpc.imports.checkCorrections.useMutation()
  const send = trpc.imports.sendCorrections.useMutation({
    async onSuccess({ id: made }) {
      router.push(`/imports/${made}`)
      await imports.list.invalidate()
    },
  })
  useEffect(() => {
    mutate(
      { id, corrections: correctionsOf(settled) },
      {
        onSuccess(found) {
          setFaults(found)
          setSeen((before) => [
            ...before,
            ...found.filter((fault) => !before.some((each) => isSame(each, fault))),
          ])
        },
      },
    )
  }, [id, settled, mutate])
  const isChecked = faults !== null && settled === texts && !check.isPending
  const correct = useMemo(() => {
    const wrong = new Set(faults?.map(({ line }) => line))
    return faults === null ? 0 : rows.filter(({ line }) => !wrong.has(line)).length
  }, [faults, rows])
  const failure = send.error ?? check.error
  return {
    texts,
    faults,
    seen,
    correct,
    canSend: isChecked && correct > 0,
    isSending: send.isPending,
    problem: failure === null ? null : refusalMessage(failure),
    change: (line: number, title: string, text: string) =>
      setTexts((before) => ({ ...before, [line]: { ...before[line], [title]: text } })),
    send: () => send.mutate({ id, corrections: correctionsOf(texts) }),
  }
}

const isSame = (a: RowProblem, b: RowProblem) => a.line === b.line && a.field === b.field

const correctionsOf = (texts: Texts) =>
  Object.entries(texts).map(([line, cells]) => ({
    line: Number(line),
    cells: Object.entries(cells).map(([title, text]) => ({ title, text })),
  }))
