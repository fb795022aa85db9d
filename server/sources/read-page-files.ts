import type { CrmDirectory, CrmRecord, CrmSource, FileOfDeal } from './crm-source.ts'
import type { SourceSettings } from './mapping.ts'
import { namedFiles } from './named-files.ts'

/** The files of a page of deals. */
export interface PageFiles {
  named: FileOfDeal[]
  /** Whether these are all; not while the source lacks a property of files. */
  isComplete: boolean
}

/** Returns the files of records, by property and by notes; null if files are not followed. */
export async function readPageFiles(
  crm: CrmSource,
  records: readonly CrmRecord[],
  settings: SourceSettings,
  { properties }: CrmDirectory,
): Promise<PageFiles | null> {
  if (settings.files === null) return null
  const named = namedFiles(records, settings)
  const isComplete = settings.files.properties.every((name) => properties.has(name))
  if (!settings.files.notes || records.length === 0) return { named, isComplete }
  const attached = (await crm.readAttachments?.(records.map(({ id }) => id))) ?? []
  return { named: [...named, ...attached], isComplete }
}
