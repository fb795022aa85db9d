'use client'

import { FileUp } from 'lucide-react'
import { useState } from 'react'
import { formatBytes } from '#app/ui/format-bytes.ts'
import { importFileMaxBytes } from '#server/imports/policy.ts'
import { formatLimit } from '#server/protocol/units.ts'
import { WithProblem } from './with-problem.tsx'

/** Shows the field for the file: chosen with a click, or dropped. */
export function FileField({
  file,
  problem,
  onChoose,
}: {
  file: File | null
  problem: string | undefined
  onChoose: (file: File | undefined) => void
}) {
  const [isOver, setIsOver] = useState(false)
  return (
    <WithProblem problem={problem}>
      {(attributes) => (
        <label
          onDragOver={(event) => {
            event.preventDefault()
            setIsOver(true)
          }}
          onDragLeave={() => setIsOver(false)}
          onDrop={(event) => {
            event.preventDefault()
            setIsOver(false)
            onChoose(event.dataTransfer.files[0])
          }}
          className={`flex cursor-pointer flex-col items-center gap-1 rounded-xl border border-dashed px-5 py-7 text-center focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-accent ${isOver ? 'border-accent bg-sunken' : 'border-control hover:bg-sunken'}`}
        >
          <FileUp aria-hidden="true" className="mb-1 size-6 text-ink-soft" />
          <span className="max-w-full font-medium wrap-anywhere">
            {file === null ? 'Choose a file, or drop it here' : file.name}
          </span>
          <span className="text-pretty text-ink-soft">
            {file === null
              ? `XLSX, ODS, CSV or NDJSON, up to ${formatLimit(importFileMaxBytes)}`
              : `${formatBytes(file.size)} · choose or drop another to replace it`}
          </span>
          <input
            type="file"
            aria-label="Deals file"
            accept=".xlsx,.ndjson,.jsonl,.json,.csv,.tsv,.txt"
            {...attributes}
            onChange={({ currentTarget }) => onChoose(currentTarget.files?.[0])}
            className="sr-only"
          />
        </label>
      )}
    </WithProblem>
  )
}
