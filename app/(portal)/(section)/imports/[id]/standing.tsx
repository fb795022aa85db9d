import { formatCount, formatCountOf } from '#app/ui/format.ts'
import { type Import, sumOf } from '../labels.ts'
import { ProgressBar } from '../progress-bar.tsx'

/** Says how an import stands and what happens next. */
export function Standing({ found }: { found: Import }) {
  const total = found.sample === null ? null : sumOf(found.sample.counts)
  const isUnderway = (found.state === 'checking' || found.state === 'importing') && !found.isInterrupted
  return (
    <>
      <p role="status" className="text-pretty">
        {sentenceOf(found, total)}
      </p>
      {isUnderway && (
        <ProgressBar
          label={found.state === 'checking' ? 'Check' : 'Import'}
          value={found.state === 'checking' || !total ? null : Math.min(1, sumOf(found) / total)}
        />
      )}
    </>
  )
}

function sentenceOf(found: Import, total: number | null): string {
  const { state, isInterrupted, receivedBytes, sizeBytes, problem } = found
  const done = sumOf(found)
  const whys = problem ?? 'The process that was at work on it has ended.'
  switch (state) {
    case 'uploading':
      return receivedBytes === sizeBytes
        ? 'The file is here and waits to be checked, because others are worked on.'
        : `${Math.floor((100 * receivedBytes) / sizeBytes)} % of the file has arrived. When nobody is uploading it any more, discard it and upload it again.`
    case 'checking':
      return isInterrupted
        ? `The check was interrupted. ${whys} Nothing has changed; check the file again.`
        : `Checking: ${formatCountOf(done, 'record')} so far. Nothing changes yet.`
    case 'checked':
      if (found.created + found.updated === 0)
        return found.rejected === 0
          ? 'There is nothing to import: all of it is there already.'
          : 'There is nothing to import. See below why records are rejected.'
      return `This is what the import would do now. Nothing has changed yet.${found.rejected === 0 ? '' : ' Rejected records are left out; the rest is imported.'}`
    case 'importing':
      return isInterrupted
        ? `The import was interrupted after ${formatCountOf(done, 'record')}. ${whys} Start it again: what has been imported is then unchanged.`
        : `Importing: ${formatCount(done)} of ${formatCountOf(total ?? 0, 'record')}. You can leave this page.`
    case 'done':
      return found.rejected === 0
        ? 'Everything is imported.'
        : 'Everything is imported but what was rejected.'
    case 'failed':
      return problem ?? 'The import has failed.'
  }
}
