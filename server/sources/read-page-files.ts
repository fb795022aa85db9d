import type { CrmRecord, CrmSource, FileOfDeal } from './crm-source.ts'
import type { SourceSettings } from './mapping.ts'
import { namedFiles } from './named-files.ts'

/** Returns the files of records, by property and by notes; null if files are not followed. */
export async function readPageFiles(
  crm: CrmSource,
  records: readonly CrmRecord[],
  settings: SourceSettings,
): Promise<FileOfDeal[] | null> {
  if (settings.files === null) return null
  const named = namedFiles(records, settings)
  if (!settings.files.notes || records.length === 0) return named
  return [...named, ...((await crm.readAttachments?.(records.map(({ id }) => id))) ?? [])]
}
