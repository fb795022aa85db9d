import type { CrmRecord } from './crm-source.ts'
import type { SourceSettings } from './mapping.ts'

/** A file that a record of the CRM names. */
export interface FileOfDeal {
  dealId: string
  fileId: string
}

/** Returns the files that records name in their properties, which hold ids separated by semicolons or commas. */
export function namedFiles(
  records: readonly CrmRecord[],
  { files }: Pick<SourceSettings, 'files'>,
): FileOfDeal[] {
  if (files === null) return []
  return records.flatMap(({ id: dealId, values }) => {
    const ids = files.properties.flatMap((name) => (values[name] ?? '').split(/[;,]/))
    const known = new Set(ids.map((id) => id.trim()).filter((id) => /^\d{1,19}$/.test(id)))
    return [...known].map((fileId) => ({ dealId, fileId }))
  })
}
