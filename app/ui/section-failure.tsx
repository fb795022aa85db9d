import { failureMessage } from '#app/failure-message.ts'
import { button } from './button.ts'

/** Shows in a section of a page why it could not be loaded, with a retry button. */
export function SectionFailure({
  error,
  retry,
  className = 'gap-3',
}: {
  error: unknown
  retry: () => unknown
  className?: string
}) {
  return (
    <div role="alert" className={`flex flex-col items-start ${className}`}>
      <p className="text-pretty text-bad">{failureMessage(error)}</p>
      <button type="button" onClick={() => void retry()} className={button.plain}>
        Try again
      </button>
    </div>
  )
}
