'use client'

import { useEffect, useRef, useState } from 'react'
import { usePartnerHref } from '#app/partner.tsx'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button.ts'
import { FormProblem } from '#app/ui/form-problem.tsx'
import { formatBytes } from '#app/ui/format-bytes.ts'
import { useRouter } from '#app/ui/use-router.ts'
import { ProgressBar } from './progress-bar.tsx'
import { UploadStopped, sendFile } from './send-file.ts'
import type { Begun } from './upload-form.tsx'

/** Uploads a file, then opens its import. */
export function Uploading({ id, file, onDiscarded }: Begun & { onDiscarded: () => void }) {
  const router = useRouter()
  const url = usePartnerHref()(`/imports/${id}/content`)
  const { imports } = trpc.useUtils()
  const [received, setReceived] = useState(0)
  const [problem, setProblem] = useState<string | null>(null)
  const [attempts, setAttempts] = useState(1)
  const place = useRef<HTMLDivElement>(null)
  const discard = trpc.imports.discard.useMutation({
    async onSettled() {
      onDiscarded()
      await imports.list.invalidate()
    },
  })

  // The button that had the focus disappears.
  useEffect(() => place.current?.focus(), [attempts])
  useEffect(() => {
    const controller = new AbortController()
    sendFile({ url, file }, setReceived, controller.signal)
      .then(() => {
        if (!controller.signal.aborted) router.push(`/imports/${id}`)
      })
      .catch((error: unknown) =>
        setProblem(error instanceof UploadStopped ? error.message : 'Something went wrong. Try to resume.'),
      )
    return () => controller.abort()
  }, [id, url, file, attempts, router])

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
      <FormProblem problem={problem} />
      <div className="flex flex-wrap gap-2">
        {problem !== null && (
          <button
            type="button"
            onClick={() => {
              setProblem(null)
              setAttempts(attempts + 1)
            }}
            className={button.primary}
          >
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
