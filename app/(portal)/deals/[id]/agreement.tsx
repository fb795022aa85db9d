'use client'

import { Download, FileText, LoaderCircle } from 'lucide-react'
import { useState } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button.ts'
import { formatBytes } from '#app/ui/format-bytes.ts'
import { Loading } from '#app/ui/loading.tsx'
import { DealSection } from './section.tsx'

/** Shows the signed agreement with a download button. */
export function Agreement({ fileId }: { fileId: string | null }) {
  return (
    <DealSection title="Agreement" icon={FileText}>
      {fileId ? <AgreementFile id={fileId} /> : <p className="text-ink-soft">No agreement yet.</p>}
    </DealSection>
  )
}

function AgreementFile({ id }: { id: string }) {
  const { data: file, error, refetch, isFetching } = trpc.files.get.useQuery({ id })
  if (file === undefined) {
    if (error === null) return <Loading what="agreement" />
    return (
      <div className="flex flex-col items-start gap-3">
        <p role="alert" className="text-pretty text-bad">
          {messageOf(error)}
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
      <DownloadFile id={id} name={file.name} />
    </div>
  )
}

function DownloadFile({ id, name }: { id: string; name: string }) {
  const { files } = trpc.useUtils()
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)

  async function download() {
    if (isBusy) return
    setBusy(true)
    setProblem(null)
    try {
      // The URL loaded before may have expired.
      const { url } = await files.get.fetch({ id }, { staleTime: 0 })
      // The file is an attachment, so the page stays.
      window.location.assign(url)
    } catch (failure) {
      setProblem(messageOf(failure))
    } finally {
      setBusy(false)
    }
  }

  const Icon = isBusy ? LoaderCircle : Download
  return (
    <>
      <button
        type="button"
        aria-busy={isBusy}
        onClick={() => void download()}
        className={`${button.plain} self-start aria-busy:opacity-70`}
      >
        <Icon aria-hidden="true" className={`size-4 ${isBusy ? 'animate-spin' : ''}`} />
        Download<span className="sr-only"> {name}</span>
      </button>
      {problem !== null && (
        <p role="alert" className="text-pretty text-bad">
          {problem}
        </p>
      )}
    </>
  )
}

function messageOf(error: unknown): string {
  const code = (error as { data?: { code?: string } }).data?.code
  return code === 'NOT_FOUND' || code === 'BAD_REQUEST'
    ? 'The agreement’s file is missing.'
    : failureMessage(error)
}
