import { isUtf8 } from 'node:buffer'

/** Encodings of text files, by the names that decoders know them by. */
const encodings = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16 (big endian)',
  'windows-1252': 'Windows-1252',
} as const

export type Encoding = keyof typeof encodings

/** Characters that separate the cells of a row, with their names. */
const delimiters = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'vertical bars' } as const

export type Delimiter = keyof typeof delimiters

/** How a text file of rows is written. */
export interface TextFormat {
  encoding: Encoding
  delimiter: Delimiter
}

/**
 * Returns the encoding of a text file that begins with these bytes. Windows-1252 if they are not UTF-8 and no character
 * beyond ASCII is: otherwise it is UTF-8 with a few wrong bytes.
 */
export function encodingOf(start: Buffer): Encoding {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le'
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be'
  const marked = utf16WithoutMark(start)
  if (marked !== null) return marked
  if (isUtf8(start)) return 'utf-8'
  // The last character may be cut off.
  const decoded = new TextDecoder().decode(start.subarray(0, -4))
  return /[^\0-\x7f\ufffd]/.test(decoded) || !decoded.includes('\ufffd') ? 'utf-8' : 'windows-1252'
}

/** In UTF-16, every other byte of ASCII is 0. */
function utf16WithoutMark(start: Buffer): Encoding | null {
  const zeros = [0, 0]
  for (const [index, byte] of start.subarray(0, 1000).entries()) if (byte === 0) zeros[index % 2]!++
  const some = Math.min(start.length, 1000) * 0.4
  if (zeros[1]! > some && zeros[0] === 0) return 'utf-16le'
  return zeros[0]! > some && zeros[1] === 0 ? 'utf-16be' : null
}

/** Returns the delimiter that the first row of a text has most of outside quotes; a comma if it has none. */
export function delimiterOf(text: string): Delimiter {
  const counts = { ',': 0, ';': 0, '\t': 0, '|': 0 }
  let isQuoted = false
  let isBegun = false
  for (const character of text) {
    if (character === '"') isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (character === '\n' || character === '\r') {
      if (isBegun) break
    } else if (Object.hasOwn(counts, character)) counts[character as Delimiter]++
    if (character.trim() !== '') isBegun = true
  }
  const found = (Object.keys(counts) as Delimiter[]).toSorted((a, b) => counts[b] - counts[a])
  return counts[found[0]!] === 0 ? ',' : found[0]!
}

/** Returns the format in words: `CSV, separated by semicolons, in Windows-1252`. */
export const formatName = ({ encoding, delimiter }: TextFormat) =>
  `CSV, separated by ${delimiters[delimiter]}, in ${encodings[encoding]}`
