'use client'

import { useEffect, useRef } from 'react'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button.ts'
import { FormProblem } from '#app/ui/form-problem.tsx'
import { formatBytes } from '#app/ui/format-bytes.ts'
import { ProgressBar } from './progress-bar.tsx'
import type { Begun } from './use-begin-import.ts'
import { useUpload } from './use-upload.ts'

/** Uploads a file, then opens its import. */
export function Uploading({ id, file, onDiscarded }: Begun & { onDiscarded: () => void }) {
  const { imports } = trpc.useUtils()
  const { received, waiting, problem, attempts, resume } = useUpload({ id, file })
  const place = useRef<HTMLDivElement>(null)
  const discard = trpc.imports.discard.useMutation({
    async onSettled() {
      onDiscarded()
      await imports.list.invalidate()
    },
  })

  // The button that had the focus disappears.
  useEffect(() => place.current?.focus(), [attempts])

  return (
    <div ref={place} tabIndex={-1} className="flex flex-col gap-3 outline-none">
      <p role="status" className="font-medium wrap-anywhere">
        {problem === null ? `Uploading ${file.name}…` : `Upload of ${file.name} stopped.`}
      </p>
      <ProgressBar label="Upload" value={received / file.size} />
      <p className="text-ink-soft">
        {formatBytes(received)} of {formatBytes(file.size)}.{' '}
        {problem === null && 'Keep this page open until the upload is complete.'}
      </p>
      <p role="status" className="text-pretty text-ink-soft empty:hidden">
        {problem === null && waiting}
      </p>
      <FormProblem problem={problem} />
      <div className="flex flex-wrap gap-2">
        {problem !== null && (
          <button type="button" onClick={resume} className={button.primary}>
            Resume
          </button>
        )}
        <button
          type="button"
          aria-busy={discard.isPending}
          onClick={() => {
            if (!discard.isPending) discard.mutate({ id })
          }}
          className={`${button.plain} h-10 aria-busy:opacity-70`}
        >
          Discard
        </button>
      </div>
    </div>
  )
}
