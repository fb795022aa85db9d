import type { inferRouterOutputs } from '@trpc/server'
import type { Tone } from '#app/ui/badge.tsx'
import type { Api } from '#server/api.ts'

/** An import as the list has it, and with what its check has found. */
export type Listed = inferRouterOutputs<Api>['imports']['list']['imports'][number]
export type Import = inferRouterOutputs<Api>['imports']['one']

/** How many records came to what. */
export type Counts = Pick<Listed, 'created' | 'updated' | 'unchanged' | 'rejected'>

/** What becomes of records, as people call it. */
export const countLabels = {
  created: 'New',
  updated: 'Changed',
  unchanged: 'Unchanged',
  rejected: 'Rejected',
} as const satisfies Record<keyof Counts, string>
export const countNames = Object.keys(countLabels) as (keyof Counts)[]

/** How many records there are in all. */
export const sumOf = (counts: Counts) => countNames.reduce((sum, name) => sum + counts[name], 0)

const labels: Record<Listed['state'], { label: string; tone: Tone }> = {
  uploading: { label: 'Not uploaded yet', tone: 'wait' },
  checking: { label: 'Checking', tone: 'info' },
  checked: { label: 'Ready to import', tone: 'wait' },
  importing: { label: 'Importing', tone: 'info' },
  done: { label: 'Done', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
}

/** How an import stands, in a word or two. */
export function standingOf({
  state,
  isInterrupted,
  receivedBytes,
  sizeBytes,
}: Pick<Listed, 'state' | 'isInterrupted' | 'receivedBytes' | 'sizeBytes'>): { label: string; tone: Tone } {
  if (isInterrupted) return { label: 'Interrupted', tone: 'bad' }
  if (state === 'uploading' && receivedBytes === sizeBytes)
    return { label: 'Waits to be checked', tone: 'wait' }
  return labels[state]
}

/** Whether somebody is at work on it, so that it is worth looking again soon. */
export const isUnderway = ({ state, isInterrupted }: Pick<Listed, 'state' | 'isInterrupted'>) =>
  (state === 'checking' || state === 'importing') && !isInterrupted

/** Whether the import came to something else than its check has found, because deals changed in between. */
export const differs = (a: Counts, b: Counts) => countNames.some((name) => a[name] !== b[name])
