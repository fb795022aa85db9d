'use client'

import { FileText } from 'lucide-react'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button-styles.ts'
import { formatBytes } from '#app/ui/format-bytes.ts'
import { Loading } from '#app/ui/states.tsx'
import { DownloadFile, downloadProblem } from './files/download-file.tsx'
import { OpenFile } from './files/open-file.tsx'
import { DealSection } from './section.tsx'

/** Shows the signed agreement with a download button. */
export function Agreement({ dealId, fileId }: { dealId: string; fileId: string | null }) {
  return (
    <DealSection title="Agreement" icon={FileText}>
      {fileId ? (
        <AgreementFile dealId={dealId} id={fileId} />
      ) : (
        <p className="text-ink-soft">No agreement on file.</p>
      )}
    </DealSection>
  )
}

function AgreementFile({ dealId, id }: { dealId: string; id: string }) {
  const { data: files } = trpc.files.list.useQuery({ dealId })
  const view = files?.find((each) => each.id === id)?.view
  const { data: file, error, refetch, isFetching } = trpc.files.get.useQuery({ id })
  if (file === undefined) {
    if (error === null) return <Loading what="agreement" />
    return (
      <div className="flex flex-col items-start gap-3">
        <p role="alert" className="text-pretty text-bad">
          {downloadProblem(error, 'The agreement’s file is missing.')}
        </p>
        <button
          type="button"
          aria-busy={isFetching}
          onClick={() => void refetch()}
          className={`${button.plain} aria-busy:opacity-70`}
        >
          Try again
        </button>
      </div>
    )
  }
  return (
    <div className="flex flex-col gap-3">
      <div className="min-w-0">
        <p className="font-medium wrap-anywhere">{file.name}</p>
        <p className="text-ink-soft">
          <span className="wrap-anywhere">{file.extension?.toUpperCase() ?? file.type}</span> ·{' '}
          {formatBytes(file.size)}
        </p>
      </div>
      <div className="flex flex-wrap items-start gap-2">
        {view && <OpenFile url={view.url} name={file.name} />}
        <DownloadFile id={id} name={file.name} missing="The agreement’s file is missing." />
      </div>
    </div>
  )
}
