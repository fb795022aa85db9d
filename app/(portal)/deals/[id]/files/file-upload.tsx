import { button } from '#app/ui/button-styles.ts'
import { formatBytes } from '#app/ui/format-bytes.ts'
import { ProgressBar } from '../../../(manage)/imports/progress-bar.tsx'
import { type FileToAdd, useFileUpload } from './use-file-upload.ts'

/** Shows a file that is being added to the deal. */
export function FileUpload({ onEnd, ...upload }: FileToAdd & { onEnd: () => void }) {
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
