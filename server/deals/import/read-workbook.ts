import { readOds } from './read-ods.ts'
import { Parts } from './read-parts.ts'
import { readXlsx } from './read-xlsx.ts'
import { type KeptSheet, SheetRows } from './sheet-source.ts'

/**
 * Keeps the rows of a sheet of an XLSX or ODS file at `rowsPath`: of the first one that is not hidden unless it is named. Memory
 * does not grow with the sheet, but with its texts, which are bounded. @throws UnreadableFileError
 */
export function readWorkbook(
  path: string,
  rowsPath: string,
  name: string | null = null,
): Promise<{ kind: 'XLSX' | 'ODS'; sheet: KeptSheet }> {
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
