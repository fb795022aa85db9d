'use client'

import { useEffect, useState } from 'react'
import { usePartnerHref } from '#app/partner.tsx'
import { useRouter } from '#app/ui/use-router.ts'
import { UploadStoppedError, sendFile } from './send-file.ts'
import type { Begun } from './use-begin-import.ts'

/** Uploads a file, then opens its import. Returns the bytes received, and why the upload waits or has stopped. */
export function useUpload({ id, file }: Begun) {
  const router = useRouter()
  const url = usePartnerHref()(`/imports/${id}/content`)
  const [received, setReceived] = useState(0)
  const [waiting, setWaiting] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [attempts, setAttempts] = useState(1)
  useEffect(() => {
    const controller = new AbortController()
    sendFile({ url, file }, { onProgress: setReceived, onWait: setWaiting }, controller.signal)
      .then(() => {
        if (!controller.signal.aborted) router.push(`/imports/${id}`)
      })
      .catch((error: unknown) =>
        setProblem(
          error instanceof UploadStoppedError ? error.message : 'Something went wrong. Try to resume.',
        ),
      )
    return () => controller.abort()
  }, [id, url, file, attempts, router])
  return {
    received,
    waiting,
    problem,
    attempts,
    resume() {
      setProblem(null)
      setAttempts(attempts + 1)
    },
  }
}
