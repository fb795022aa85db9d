import { open, rm } from 'node:fs/promises'
import { type Fault, sentenceOf } from '../../records/reason.ts'
import { rejectedTitles } from '../../records/record-source.ts'
import { byteOrderMark, csvLines } from '../../values/csv.ts'

/** Prefix of the reason for a row that is imported without its unreadable cells. */
export const leftOut = 'Left out: '

/** Writes rejected and partly unreadable rows to a file on disk that can be corrected and imported. */
export interface RejectedLines {
  add(
    line: number,
    faults: Fault[],
    row: { titles: string[]; cells: string[] },
    options?: { isImported: boolean },
  ): void
  /** Flushes the lines to disk if many are pending. */
  settle(): Promise<void>
  close(): Promise<void>
}

const bufferBytes = 64 * 1024

// Large, because a line of three bytes can be rejected with a reason of a hundred bytes.
const rejectedMaxBytes = 256 * 1024 * 1024

/** Starts a new file of rejected rows. Escapes cells that a spreadsheet would interpret as a formula. */
export async function openRejectedLines(path: string): Promise<RejectedLines> {
  // Removed rather than truncated, because a process presumed dead may still write to the previous file.
  await rm(path, { force: true })
  const file = await open(path, 'wx', 0o600)
  let waiting = ''
  let hasHeader = false
  let bytes = 0
  let isFull = false
  const write = async () => {
    const text = waiting
    waiting = ''
    await file.appendFile(text)
  }
  return {
    add(line, faults, { titles, cells }, { isImported } = { isImported: false }) {
      if (isFull) return
      if (!hasHeader) waiting += byteOrderMark + csvLines([[...rejectedTitles, ...titles]])
      hasHeader = true
      const reasons = faults.map(sentenceOf).join('. ')
      const row = csvLines([[line, isImported ? leftOut + reasons : reasons, ...cells]])
      bytes += row.length
      isFull = bytes > rejectedMaxBytes
      waiting += isFull
        ? csvLines([['', 'There are more. Correct these and import the whole file again.']])
        : row
    },
    async settle() {
      if (waiting.length > bufferBytes) await write()
    },
    async close() {
      await write().finally(() => file.close())
    },
  }
}
