import type { CrmRecord, FileOfDeal } from './crm-source.ts'
import type { SourceSettings } from './mapping.ts'

/** Returns the file ids in a value, separated by semicolons or commas; a form upload is a URL with the id. */
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

/** The parts of a path that a file's id follows. */
const beforeId = new Set(['signed-url-redirect', 'files', 'file'])

function idInUrl(url: string): string | undefined {
  const parts = URL.parse(url)?.pathname.split('/') ?? []
  return parts.find((part, at) => isId(part) && beforeId.has(parts[at - 1]!))
}

/** Returns the files that records reference in their properties. */
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
