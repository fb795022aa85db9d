import type { Outputs } from '#app/trpc.ts'
import type { Tone } from '#app/ui/badge.tsx'

/** An import in the list, including the results of its check. */
export type Listed = Outputs['imports']['list']['imports'][number]
export type Import = Outputs['imports']['one']

/** Number of records for each outcome. */
export type Counts = Pick<Listed, 'created' | 'updated' | 'unchanged' | 'rejected'>

export const countLabels = {
  created: 'New',
  updated: 'Updated',
  unchanged: 'Unchanged',
  rejected: 'Rejected',
} as const satisfies Record<keyof Counts, string>
export const countNames = Object.keys(countLabels) as (keyof Counts)[]

/** Returns the total number of records. */
export const sumOf = (counts: Counts) => countNames.reduce((sum, name) => sum + counts[name], 0)

const labels: Record<Listed['state'], { label: string; tone: Tone }> = {
  uploading: { label: 'Upload incomplete', tone: 'wait' },
  checking: { label: 'Checking', tone: 'info' },
  checked: { label: 'Ready to import', tone: 'wait' },
  importing: { label: 'Importing', tone: 'info' },
  done: { label: 'Completed', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
}

/** Returns the label and tone of an import's status. */
export function importStatus({
  state,
  isInterrupted,
  receivedBytes,
  sizeBytes,
}: Pick<Listed, 'state' | 'isInterrupted' | 'receivedBytes' | 'sizeBytes'>): { label: string; tone: Tone } {
  if (isInterrupted) return { label: 'Interrupted', tone: 'bad' }
  if (state === 'uploading' && receivedBytes === sizeBytes)
    return { label: 'Waiting for check', tone: 'wait' }
  return labels[state]
}

/** Returns the title of an import: its file name, or the title of the import that it undoes. */
export const titleOf = ({ fileName, undoes }: Pick<Listed, 'fileName' | 'undoes'>) =>
  undoes !== null ? `Undo of ${fileName}` : fileName

/** Returns the name of the person or source that ran an import. */
export const whoOf = ({ who, origin }: Pick<Listed, 'who' | 'origin'>) =>
  who?.name ?? (origin === 'command' ? 'Command line' : 'Deleted user')

/** Formats the duration of a finished import, such as 1:05 or 2:03:04; empty while the import is running. */
export function durationOf(startedAt: Date | null, finishedAt: Date | null): string {
  if (startedAt === null || finishedAt === null) return ''
  const seconds = Math.max(1, Math.round((finishedAt.getTime() - startedAt.getTime()) / 1000))
  const two = (value: number) => String(value).padStart(2, '0')
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}`
}

/** Returns true if a worker is checking or running the import. */
export const isUnderway = ({ state, isInterrupted }: Pick<Listed, 'state' | 'isInterrupted'>) =>
  (state === 'checking' || state === 'importing') && !isInterrupted

/** Returns true if the result differs from the preview, because deals changed in between. */
export const differs = (a: Counts, b: Counts) => countNames.some((name) => a[name] !== b[name])
