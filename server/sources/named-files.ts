import {
  type CrmDirectory,
  type CrmRecord,
  type CrmSource,
  type FileOfDeal,
  SourceError,
} from './crm-source.ts'
import type { SourceSettings } from './mapping.ts'

/**
 * Returns the file ids in a value, separated by semicolons or commas. A form upload appears as a URL that
 * contains the id.
 */
export const fileIdsIn = (value: string | null | undefined): string[] =>
  (value ?? '').split(';').flatMap((part) => {
    const text = part.trim()
    if (/^https?:/i.test(text)) return idInUrl(text) ?? []
    return text
      .split(',')
      .map((id) => id.trim())
      .filter((id) => isId(id))
  })

const isId = (text: string | undefined) => /^\d{1,19}$/.test(text ?? '')

const beforeId = new Set(['signed-url-redirect', 'files', 'file'])

function idInUrl(url: string): string | undefined {
  const parts = URL.parse(url)?.pathname.split('/') ?? []
  return parts.find((part, at) => isId(part) && beforeId.has(parts[at - 1]!))
}

export interface PageFiles {
  named: FileOfDeal[]
  /** False if the list may lack files because a file property is missing or the notes could not be read. */
  isComplete: boolean
  /** Reason why the files of notes are missing, or null. The deals are read nevertheless. */
  problem: string | null
}

/** Returns the files that records reference in properties and notes, or null if files are not followed. */
export async function readPageFiles(
  crm: CrmSource,
  records: readonly CrmRecord[],
  settings: SourceSettings,
  { properties }: CrmDirectory,
): Promise<PageFiles | null> {
  if (settings.files === null) return null
  const { properties: names, notes } = settings.files
  const named = records.flatMap(({ id: dealId, values }) =>
    [...new Set(names.flatMap((name) => fileIdsIn(values[name])))].map((fileId) => ({ dealId, fileId })),
  )
  const isComplete = names.every((name) => properties.has(name))
  if (!notes || records.length === 0) return { named, isComplete, problem: null }
  try {
    const attached = (await crm.readAttachments?.(records.map(({ id }) => id))) ?? []
    return { named: [...named, ...attached], isComplete, problem: null }
  } catch (error) {
    if (!(error instanceof SourceError) || error.retryAfterMs !== null) throw error
    const problem = `Deals are read, but not the attachments of their notes: ${error.message}`
    return { named, isComplete: false, problem }
  }
}
