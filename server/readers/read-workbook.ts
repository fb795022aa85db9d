import { readOds } from './read-ods.ts'
import { Parts } from './read-parts.ts'
import { readXlsx } from './read-xlsx.ts'
import { type StoredSheet, SheetRows } from './sheet-source.ts'

/**
 * Stores the rows of an XLSX or ODS sheet at `rowsPath`: the sheet with this name, or else the one that most
 * looks like a table of deals. Memory grows only with the shared strings, which are bounded, not with the
 * sheet.
 * @throws UnreadableFileError
 */
export function readWorkbook(
  path: string,
  rowsPath: string,
  name: string | null = null,
): Promise<{ kind: 'XLSX' | 'ODS'; sheet: StoredSheet }> {
  return Parts.read(path, async (parts) => {
    const kind = parts.has('content.xml') ? 'ODS' : 'XLSX'
    const rows = new SheetRows(rowsPath)
    try {
      const sheet = await (kind === 'ODS' ? readOds : readXlsx)(parts, rows, name)
      return { kind, sheet: { ...sheet, hidden: rows.hidden } }
    } finally {
      await rows.end()
    }
  })
}
