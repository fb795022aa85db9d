import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { refusalMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button-styles.ts'
import { Confirm } from '#app/ui/confirm.tsx'
import { formatBytes } from '#app/ui/format-bytes.ts'
import type { DealFile } from './deal-file.ts'
import { DownloadFile } from './download-file.tsx'
import { fileKindLabels } from './kind-labels.ts'
import { OpenFile } from './open-file.tsx'

/** Lists files with what can be done with each. */
export function FileList({
  files,
  dealId,
  canRemove,
}: {
  files: DealFile[]
  dealId: string
  canRemove: boolean
}) {
  if (files.length === 0) return <p className="text-ink-soft">No files yet.</p>
  return (
    <ul aria-label="Files" className="flex flex-col gap-4">
      {files.map((file) => (
        <li key={file.id} className="flex flex-col gap-2">
          <div className="min-w-0">
            <p className="font-medium wrap-anywhere">{file.name}</p>
            <p className="text-ink-soft">
              {fileKindLabels[file.kind]} · {formatBytes(file.size)}
            </p>
          </div>
          <div className="flex flex-wrap items-start gap-2">
            {file.view !== null && <OpenFile url={file.view.url} name={file.name} />}
            <DownloadFile id={file.id} name={file.name} />
            {canRemove && <RemoveFile file={file} dealId={dealId} />}
          </div>
        </li>
      ))}
    </ul>
  )
}

function RemoveFile({ file: { id, name }, dealId }: { file: DealFile; dealId: string }) {
  const { files } = trpc.useUtils()
  const [problem, setProblem] = useState<string | null>(null)
  const remove = trpc.files.remove.useMutation({
    onSuccess: () => files.list.invalidate({ dealId }),
    onError: (error) => setProblem(refusalMessage(error)),
  })
  return (
    <>
      <Confirm
        trigger={
          <button
            type="button"
            aria-busy={remove.isPending}
            className={`${button.plain} aria-busy:opacity-70`}
          >
            <Trash2 aria-hidden="true" className="size-4" />
            Remove<span className="sr-only"> {name}</span>
          </button>
        }
        title="Remove this file?"
        yes="Remove file"
        no="Keep file"
        onYes={() => remove.mutate({ id })}
      >
        {name} is removed from the deal, and its URLs stop working.
      </Confirm>
      {problem !== null && (
        <p role="alert" className="w-full text-pretty text-bad">
          {problem}
        </p>
      )}
    </>
  )
}
