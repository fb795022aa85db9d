import { useEffect, useRef, useState } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { usePartnerHref } from '#app/partner.tsx'
import { trpc } from '#app/trpc.ts'
import type { FileKind } from '#server/files/kind.ts'
import { UploadStoppedError, sendFile, whileUnavailable } from '../../../(manage)/imports/send-file.ts'

/** A file to add to a deal. */
export interface FileToAdd {
  dealId: string
  file: File
  kind: FileKind
}

/** Uploads run one after the other: together they would share the line, and time out together. */
let queue: Promise<void> = Promise.resolve()

/** Adds a file to a deal. Returns the bytes received, why it waits or stopped, and how to go on or to discard it. */
export function useFileUpload({ dealId, file, kind }: FileToAdd, onEnd: () => void) {
  const client = trpc.useUtils()
  const hrefOf = usePartnerHref()
  const [received, setReceived] = useState(0)
  const [waiting, setWaiting] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [attempts, setAttempts] = useState(1)
  const id = useRef<string | null>(null)
  const stop = useRef<AbortController>(null)

  const run = useRef<(signal: AbortSignal) => Promise<void>>(null)
  useEffect(() => {
    run.current = async (signal) => {
      const { begin, finish } = client.client.files
      const asked = { dealId, name: file.name, kind, sizeBytes: file.size }
      id.current ??= (await whileUnavailable(() => begin.mutate(asked), setWaiting, signal)).id
      const upload = { id: id.current }
      const url = hrefOf(`/uploads/${upload.id}/content`)
      await sendFile({ url, file }, { onProgress: setReceived, onWait: setWaiting }, signal)
      if (signal.aborted) return
      await whileUnavailable(() => finish.mutate(upload), setWaiting, signal)
      await client.files.list.invalidate({ dealId })
      onEnd()
    }
  })

  useEffect(() => {
    const controller = new AbortController()
    stop.current = controller
    queue = queue.then(async () => {
      if (controller.signal.aborted) return
      await run.current!(controller.signal).catch((error: unknown) => setProblem(problemOf(error)))
    })
    return () => controller.abort()
  }, [attempts])

  return {
    received,
    waiting,
    problem,
    resume() {
      setProblem(null)
      setAttempts(attempts + 1)
    },
    async discard() {
      stop.current?.abort()
      if (id.current !== null) await client.client.files.discard.mutate({ id: id.current }).catch(() => {})
      onEnd()
    },
  }
}

/** Codes whose messages are shown as they are because they say how to fix the problem. */
const spoken = new Set(['BAD_REQUEST', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'])

function problemOf(error: unknown): string {
  if (error instanceof UploadStoppedError) return error.message
  const { message, data } = error as {
    message: string
    data?: { code: string; errors: string[] | null } | null
  }
  const [first] = data?.errors ?? []
  if (first !== undefined) return sentence(first.replace(/^sizeBytes: /, ''))
  return spoken.has(data?.code ?? '') ? sentence(message) : failureMessage(error)
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
