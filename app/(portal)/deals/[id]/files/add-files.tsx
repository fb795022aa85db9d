'use client'

import { FileUp } from 'lucide-react'
import { useState, useEffect, useRef } from 'react'
import { ProgressBar } from '#app/(portal)/(manage)/imports/progress-bar.tsx'
import { sendFile, uploadProblem, whileUnavailable } from '#app/(portal)/(manage)/imports/send-file.ts'
import { usePartnerHref } from '#app/partner.tsx'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button-styles.ts'
import { DropArea } from '#app/ui/drop-area.tsx'
import { SelectField } from '#app/ui/fields.tsx'
import { formatBytes } from '#app/ui/format-bytes.ts'
import { type FileKind, fileKinds } from '#server/files/kind.ts'
import { dealFileMaxBytes } from '#server/files/policy.ts'
import { formatLimit } from '#server/values/units.ts'
import { fileKindLabels } from './deal-file.ts'

const choices = fileKinds.map((value) => ({ value, label: fileKindLabels[value] }))

/** A file chosen to be added. */
interface Chosen {
  key: number
  file: File
  kind: FileKind
}

let lastKey = 0

/** Lets operators add files to a deal by choosing or dropping several at once. */
export function AddFiles({ dealId }: { dealId: string }) {
  const [kind, setKind] = useState<FileKind>('other')
  const [chosen, setChosen] = useState<Chosen[]>([])
  const add = (files: FileList | null) =>
    setChosen([...chosen, ...[...(files ?? [])].map((file) => ({ key: ++lastKey, file, kind }))])
  return (
    <div className="flex flex-col gap-3 border-t border-line pt-4">
      <SelectField
        label="Kind of file"
        choices={choices}
        value={kind}
        onChange={({ currentTarget }) => setKind(currentTarget.value as FileKind)}
      />
      <DropArea onDrop={add} className="px-4 py-5">
        <FileUp aria-hidden="true" className="mb-1 size-5 text-ink-soft" />
        <span className="font-medium">Choose files, or drop them here</span>
        <span className="text-ink-soft">Up to {formatLimit(dealFileMaxBytes)} each</span>
        <input
          type="file"
          multiple
          aria-label="Files to add"
          onChange={({ currentTarget }) => {
            add(currentTarget.files)
            // The same file can be chosen again.
            currentTarget.value = ''
          }}
          className="sr-only"
        />
      </DropArea>
      {chosen.length > 0 && (
        <ul aria-label="Uploads" className="flex flex-col gap-3">
          {chosen.map(({ key, ...upload }) => (
            <FileUpload
              key={key}
              {...upload}
              dealId={dealId}
              onEnd={() => setChosen((rest) => rest.filter((other) => other.key !== key))}
            />
          ))}
        </ul>
      )}
    </div>
  )
}

/** Shows a file that is being added to the deal. */
function FileUpload({ onEnd, ...upload }: FileToAdd & { onEnd: () => void }) {
  const { name, size } = upload.file
  const { received, waiting, problem, resume, discard } = useFileUpload(upload, onEnd)
  return (
    <li className="flex flex-col gap-2">
      <p className="font-medium wrap-anywhere">{name}</p>
      {problem === null ? (
        <>
          <ProgressBar label={`Upload of ${name}`} value={size === 0 ? 0 : received / size} />
          <p className="text-ink-soft">
            {formatBytes(received)} of {formatBytes(size)}
          </p>
          <p role="status" className="text-pretty text-ink-soft empty:hidden">
            {waiting}
          </p>
        </>
      ) : (
        <p role="alert" className="text-pretty text-bad">
          {problem}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        {problem !== null && (
          <button type="button" onClick={resume} className={button.plain}>
            Try again<span className="sr-only"> with {name}</span>
          </button>
        )}
        <button type="button" onClick={() => void discard()} className={button.plain}>
          Discard<span className="sr-only"> {name}</span>
        </button>
      </div>
    </li>
  )
}

/** A file to add to a deal. */
interface FileToAdd {
  dealId: string
  file: File
  kind: FileKind
}

/** Uploads run one after the other: in parallel they would share the bandwidth, and time out together. */
let queue: Promise<void> = Promise.resolve()

/**
 * Adds a file to a deal. Returns the bytes received, why it is waiting or has stopped, and functions to
 * resume or discard it.
 */
function useFileUpload({ dealId, file, kind }: FileToAdd, onEnd: () => void) {
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
      await run.current!(controller.signal).catch((error: unknown) => setProblem(uploadProblem(error)))
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
