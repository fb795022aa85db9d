import { X } from 'lucide-react'
import { type ComponentProps, useEffect, useRef, useState } from 'react'
import { ProgressBar } from '#app/(portal)/(manage)/controls.tsx'
import { sendFile, uploadProblem, whileUnavailable } from '#app/(portal)/(manage)/imports/send-file.ts'
import { Button, IconButton } from '#app/ui/button.tsx'
import { formatBytes } from '#app/ui/format-bytes.ts'
import { usePartnerHref } from '#app/ui/partner.tsx'

interface UploadCalls {
  begin: () => Promise<{ id: string }>
  urlOf: (id: string) => string
  finish?: (id: string) => Promise<unknown>
  discard: (id: string) => Promise<unknown>
}

interface Upload {
  key: number
  file: File
  calls: UploadCalls
  /** Null until the server has started the upload. */
  id: string | null
  receivedBytes: number
  problem: string | null
  state: 'sending' | 'stopped' | 'done'
}

let lastKey = 0

/** Uploads one file at a time: parallel uploads would share the bandwidth and time out together. */
export function useUploads() {
  const hrefOf = usePartnerHref()
  const [uploads, setUploads] = useState<Upload[]>([])
  const queue = useRef(Promise.resolve())
  const controllers = useRef(new Map<number, AbortController>())
  useEffect(() => {
    const all = controllers.current
    return () => all.forEach((controller) => controller.abort())
  }, [])

  function start(upload: Upload) {
    const { key } = upload
    const controller = new AbortController()
    const { signal } = controller
    controllers.current.set(key, controller)
    const patch = (more: Partial<Upload>) =>
      setUploads((all) => all.map((each) => (each.key === key ? { ...each, ...more } : each)))
    const stop = (error: unknown) => {
      if (!signal.aborted) patch({ problem: uploadProblem(error), state: 'stopped' })
    }
    queue.current = queue.current.then(() => send(upload, patch, hrefOf, signal)).catch(stop)
  }

  return {
    uploads,
    add(files: FileList | null, callsFor: (file: File) => UploadCalls) {
      const added = [...(files ?? [])].map((file): Upload => ({
        key: ++lastKey,
        file,
        calls: callsFor(file),
        id: null,
        receivedBytes: 0,
        problem: null,
        state: 'sending',
      }))
      setUploads((all) => [...all, ...added])
      added.forEach(start)
    },
    retry(upload: Upload) {
      setUploads((all) =>
        all.map((each) => (each.key === upload.key ? { ...each, problem: null, state: 'sending' } : each)),
      )
      start(upload)
    },
    remove({ key, id, calls }: Upload) {
      controllers.current.get(key)?.abort()
      setUploads((all) => all.filter((each) => each.key !== key))
      if (id !== null) void calls.discard(id).catch(() => {})
    },
    clear: () => setUploads([]),
  }
}

async function send(
  { id: begunId, file, calls }: Upload,
  patch: (more: Partial<Upload>) => void,
  hrefOf: (path: string) => string,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return
  const onWait = (problem: string | null) => patch({ problem })
  const id = begunId ?? (await whileUnavailable(calls.begin, onWait, signal)).id
  patch({ id })
  const onProgress = (receivedBytes: number) => patch({ receivedBytes })
  await sendFile({ url: hrefOf(calls.urlOf(id)), file }, { onProgress, onWait }, signal)
  if (signal.aborted) return
  await whileUnavailable(async () => calls.finish?.(id), onWait, signal)
  patch({ state: 'done' })
}

/** A hidden file field for the label around it. */
export const FilesInput = ({
  onAdd,
  ...input
}: ComponentProps<'input'> & { onAdd: (files: FileList | null) => void }) => (
  <input
    type="file"
    multiple
    {...input}
    onChange={({ currentTarget }) => {
      onAdd(currentTarget.files)
      // Allow choosing the same file again.
      currentTarget.value = ''
    }}
    className="sr-only"
  />
)

/** Lists uploads with their progress and buttons to retry or remove them. */
export function UploadList({
  label,
  uploads,
  retry,
  remove,
}: { label: string } & Pick<ReturnType<typeof useUploads>, 'uploads' | 'retry' | 'remove'>) {
  if (uploads.length === 0) return null
  return (
    <ul aria-label={label} className="flex flex-col gap-2">
      {uploads.map((upload) => {
        const { key, file, receivedBytes, problem, state } = upload
        const isStopped = state === 'stopped'
        return (
          <li key={key} className="flex items-center gap-3 rounded-lg bg-sunken px-3 py-2">
            <div className="min-w-0 flex-1">
              <p className="truncate font-medium">{file.name}</p>
              {state === 'sending' && (
                <ProgressBar
                  label={`Upload of ${file.name}`}
                  value={receivedBytes / Math.max(1, file.size)}
                />
              )}
              <p
                role={isStopped ? 'alert' : 'status'}
                className={`text-pretty ${isStopped ? 'text-bad' : 'text-ink-soft'}`}
              >
                {problem ?? formatBytes(file.size)}
              </p>
            </div>
            {isStopped && (
              <Button onClick={() => retry(upload)} about={`with ${file.name}`}>
                Try again
              </Button>
            )}
            <IconButton
              icon={X}
              label={`Discard ${file.name}`}
              onClick={() => remove(upload)}
              className="size-9 touch rounded-lg border border-line bg-surface"
            />
          </li>
        )
      })}
    </ul>
  )
}
