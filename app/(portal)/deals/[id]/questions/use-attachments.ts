import { useEffect, useRef, useState } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { usePartnerHref } from '#app/partner.tsx'
import { trpc } from '#app/trpc.ts'
import { UploadStoppedError, sendFile, whileUnavailable } from '../../../(manage)/imports/send-file.ts'

/** A file that is being attached to a message. */
export interface Attachment {
  key: number
  file: File
  /** Its upload, once it has begun. */
  id: string | null
  receivedBytes: number
  /** Why it waits or has stopped. */
  problem: string | null
  isStopped: boolean
}

let lastKey = 0

/** Uploads files to attach to a message about a deal: in a thread, or in a new one. */
export function useAttachments({ dealId, threadId }: { dealId: string; threadId: number | undefined }) {
  const { client } = trpc.useUtils()
  const hrefOf = usePartnerHref()
  const [attached, setAttached] = useState<Attachment[]>([])
  const stopping = useRef(new Map<number, AbortController>())
  useEffect(() => {
    const uploads = stopping.current
    return () => uploads.forEach((each) => each.abort())
  }, [])

  async function upload(key: number, file: File, signal: AbortSignal) {
    const patch = (more: Partial<Attachment>) =>
      setAttached((all) => all.map((each) => (each.key === key ? { ...each, ...more } : each)))
    const wait = (problem: string | null) => patch({ problem })
    try {
      const asked = { dealId, name: file.name, sizeBytes: file.size, ...(threadId && { threadId }) }
      const { id } = await whileUnavailable(() => client.messages.beginFile.mutate(asked), wait, signal)
      const url = hrefOf(`/attachments/${id}/content`)
      const onProgress = (receivedBytes: number) => patch({ receivedBytes })
      await sendFile({ url, file }, { onProgress, onWait: wait }, signal)
      patch({ id })
    } catch (error) {
      if (!signal.aborted) patch({ problem: problemOf(error), isStopped: true })
    }
  }

  return {
    attached,
    isUploading: attached.some(({ id, isStopped }) => id === null && !isStopped),
    add(files: FileList | null) {
      for (const file of files ?? []) {
        const key = ++lastKey
        const controller = new AbortController()
        stopping.current.set(key, controller)
        setAttached((all) => [
          ...all,
          { key, file, id: null, receivedBytes: 0, problem: null, isStopped: false },
        ])
        void upload(key, file, controller.signal)
      }
    },
    remove({ key, id }: Attachment) {
      stopping.current.get(key)?.abort()
      setAttached((all) => all.filter((each) => each.key !== key))
      if (id !== null) void client.messages.discardFile.mutate({ id }).catch(() => {})
    },
    clear: () => setAttached([]),
  }
}

function problemOf(error: unknown): string {
  if (error instanceof UploadStoppedError) return error.message
  const { message, data } = error as {
    message: string
    data?: { code: string; errors: string[] | null } | null
  }
  const [first = data?.code === 'BAD_REQUEST' ? message : undefined] = data?.errors ?? []
  if (first === undefined) return failureMessage(error)
  const text = first.replace(/^sizeBytes: /, '')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
