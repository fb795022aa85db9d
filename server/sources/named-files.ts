import type { CrmRecord, FileOfDeal } from './crm-source.ts'
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

/** Path segments that precede a file's id. */
const beforeId = new Set(['signed-url-redirect', 'files', 'file'])

function idInUrl(url: string): string | undefined {
  const parts = URL.parse(url)?.pathname.split('/') ?? []
  return parts.find((part, at) => isId(part) && beforeId.has(parts[at - 1]!))
}

/** Returns the files that the properties of records reference. */
export function namedFiles(
  records: readonly CrmRecord[],
  { files }: Pick<SourceSettings, 'files'>,
): FileOfDeal[] {
  if (files === null) return []
  return records.flatMap(({ id: dealId, values }) => {
    const ids = new Set(files.properties.flatMap((name) => fileIdsIn(values[name])))
    return [...ids].map((fileId) => ({ dealId, fileId }))
  })
}
