import { Download, LoaderCircle } from 'lucide-react'
import { useState } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button-styles.ts'

/** Downloads a file. */
export function DownloadFile({ id, name }: { id: string; name: string }) {
  const { files } = trpc.useUtils()
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)

  async function download() {
    if (isBusy) return
    setBusy(true)
    setProblem(null)
    try {
      // The URL loaded earlier may have expired.
      const { url } = await files.download.fetch({ id }, { staleTime: 0 })
      // The response is an attachment, so the browser stays on the page.
      window.location.assign(url)
    } catch (failure) {
      setProblem(downloadProblem(failure))
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

/** Describes why a file cannot be downloaded. */
function downloadProblem(error: unknown): string {
  const code = (error as { data?: { code?: string } }).data?.code
  return code === 'NOT_FOUND' || code === 'BAD_REQUEST' ? 'The file is missing.' : failureMessage(error)
}
