import { formatCount, formatCountOf } from '#app/ui/format.ts'
import { type Import, isUnderway, sumOf } from '../labels.ts'
import { ProgressBar } from '../progress-bar.tsx'

/** Shows the state of an import and what happens next. */
export function Progress({ found }: { found: Import }) {
  const total = found.sample === null ? null : sumOf(found.sample.counts)
  return (
    <>
      <p role="status" className="text-pretty">
        {sentenceOf(found, total)}
      </p>
      {isUnderway(found) && (
        <ProgressBar
          label={found.state === 'checking' ? 'Check' : 'Import'}
          value={found.state === 'checking' || !total ? null : Math.min(1, sumOf(found) / total)}
        />
      )}
    </>
  )
}

function undoSentenceOf({ created, updated, removed, rejected }: Import): string {
  if (created + updated + removed === 0) return 'Nothing to undo: its deals have changed since, or are gone.'
  const left = rejected === 0 ? '' : ' Deals that somebody has changed since are left as they are.'
  return `Review what the undo changes. Nothing has changed yet.${left}`
}

function sentenceOf(found: Import, total: number | null): string {
  const { state, isInterrupted, receivedBytes, sizeBytes, problem } = found
  const done = sumOf(found)
  const reason = problem ?? 'The process working on it ended.'
  switch (state) {
    case 'uploading':
      return receivedBytes === sizeBytes
        ? 'Uploaded. Waiting for other imports to finish before the check.'
        : `${Math.floor((100 * receivedBytes) / sizeBytes)}% uploaded. If the upload was abandoned, discard it and upload the file again.`
    case 'checking':
      return isInterrupted
        ? `The check was interrupted. ${reason} Nothing has changed. Check the file again.`
        : `Checking: ${formatCountOf(done, 'record')} so far. Nothing changes yet.`
    case 'checked':
      if (found.undoes !== null) return undoSentenceOf(found)
      if (found.sample?.sheetProblem !== undefined) return 'Choose another sheet below.'
      if (found.sample?.columnProblem !== undefined)
        return 'Choose the header row or the fields of the columns below.'
      if (found.created + found.updated === 0)
        return found.rejected === 0
          ? 'Nothing to import: all records are up to date.'
          : 'Nothing to import. See the rejected records below.'
      return `Review the changes. Nothing has changed yet.${found.rejected === 0 ? '' : ' Rejected records are skipped.'}`
    case 'importing':
      return isInterrupted
        ? `The import was interrupted after ${formatCountOf(done, 'record')}. ${reason} Restart it: records already imported stay unchanged.`
        : `Importing: ${formatCount(done)} of ${formatCountOf(total ?? 0, 'record')}. You can leave this page.`
    case 'done':
      if (found.undoes !== null)
        return `Undone.${found.rejected === 0 ? '' : ` ${formatCountOf(found.rejected, 'deal')} left as they are.`}`
      return found.rejected === 0
        ? 'Import complete.'
        : `Imported; ${formatCountOf(found.rejected, 'record')} rejected.`
    case 'failed':
      return problem ?? 'The import failed.'
  }
}
