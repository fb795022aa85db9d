import { csvSource } from '../../readers/csv-source.ts'
import type { FormatChoice, Mapping } from '../../readers/file-source.ts'
import { displayText } from '../../records/cell.ts'
import { recordTitle } from '../../records/record-source.ts'
import { parseJson } from '../../values/int64.ts'
import { leftOut } from '../files/rejected-storage.ts'
import { correctableMax, correctableMaxBytes } from '../policy.ts'
import { type ReadRow, type RejectedRow, cellsOfRecord, withTexts } from './correction.ts'

/**
 * Returns the first rows of a rejected-rows file, parsed like the original file. `isDone` means that all
 * other rows were imported.
 */
export async function readRejectedRows(
  open: () => AsyncIterable<Uint8Array>,
  { mapping, choice, isDone }: { mapping: Mapping; choice: FormatChoice; isDone: boolean },
): Promise<RejectedRow[]> {
  const { source } = await csvSource(open).mapped!(mapping, choice)
  const rows: RejectedRow[] = []
  let bytes = 0
  for await (const { raw, size } of source.items()) {
    const line = Number(displayText(raw.cells[0] ?? ''))
    bytes += size
    // A row without a line number marks the end of a truncated file.
    if (!(line > 0) || rows.length === correctableMax || bytes > correctableMaxBytes) break
    const titles = source.titlesOf(raw)
    const cells = source.cellsOf(raw)
    const isImported = isDone && displayText(raw.cells[1] ?? '').startsWith(leftOut)
    if (titles.length === 1 && titles[0] === recordTitle)
      rows.push({ ...recordRow(line, cells[0] ?? ''), isImported })
    else
      rows.push({
        line,
        isTableRow: true,
        isImported,
        cells: titles.map((title, index) => ({
          title,
          field: Object.hasOwn(mapping, title) ? mapping[title]! : title,
          text: cells[index]!,
        })),
        read(texts) {
          const skipped = raw.cells.slice(0, raw.cells.length - cells.length)
          const changed = cells.map((cell, index) => texts.get(titles[index]!) ?? cell)
          const read = source.valueOf({ ...raw, cells: [...skipped, ...changed] })
          const others = [...texts].filter(([title]) => !titles.includes(title))
          return 'value' in read ? { value: withTexts(read.value as object, others) } : read
        },
      })
  }
  return rows
}

/** Parses a rejected JSON record. */
function recordRow(line: number, text: string): Omit<RejectedRow, 'isImported'> {
  const parsed = valueOf(text)
  const cells = 'value' in parsed ? cellsOfRecord(parsed.value) : []
  return {
    line,
    cells,
    isTableRow: false,
    read: (texts) =>
      'value' in parsed && cells.length > 0 ? { value: withTexts(parsed.value as object, texts) } : parsed,
  }
}

function valueOf(text: string): ReadRow {
  try {
    return { value: parseJson(text) }
  } catch {
    return { faults: [{ field: null, reason: 'is not JSON' }] }
  }
}
