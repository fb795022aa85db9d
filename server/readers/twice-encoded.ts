// Handles text that was encoded twice: a program that decodes UTF-8 with a single-byte encoding writes
// `GarcÃ­a` for `García`.

/** The single-byte encoding with which the UTF-8 text was wrongly decoded, by double encoding. */
const mistakenFor = { 'utf-8-twice': 'windows-1252', 'utf-8-twice-mac': 'macintosh' } as const

export type TwiceEncoding = keyof typeof mistakenFor

export const twiceEncodings = Object.keys(mistakenFor) as TwiceEncoding[]

/** Returns whether an encoding is doubly encoded UTF-8. */
export const isTwice = (encoding: string): encoding is TwiceEncoding => Object.hasOwn(mistakenFor, encoding)

const bytesBy = Object.fromEntries(
  twiceEncodings.map((encoding) => [encoding, bytesOf(mistakenFor[encoding])]),
) as Record<TwiceEncoding, ReadonlyMap<string, number>>

/** Returns the byte of each character from 128 on. */
function bytesOf(encoding: (typeof mistakenFor)[TwiceEncoding]): ReadonlyMap<string, number> {
  const high = Uint8Array.from({ length: 128 }, (_, index) => 128 + index)
  const characters = [...new TextDecoder(encoding).decode(high)]
  const bytes = new Map(characters.map((character, index) => [character, 128 + index]))
  // Many programs assume Latin-1, which differs from Windows-1252 below 160.
  if (encoding === 'windows-1252')
    for (let byte = 128; byte < 160; byte++) bytes.set(String.fromCharCode(byte), byte)
  return bytes
}

/**
 * Returns how many bytes follow the first byte of a UTF-8 character (RFC 3629, section 4), or null if the
 * byte cannot start one.
 */
function followingOf(first: number): number | null {
  if (first >= 0xc2 && first <= 0xdf) return 1
  if (first >= 0xe0 && first <= 0xef) return 2
  return first >= 0xf0 && first <= 0xf4 ? 3 : null
}

/**
 * Returns the bytes of the UTF-8 character at this index of a doubly encoded text, or null if there is none.
 */
function characterAt(text: string, index: number, bytes: ReadonlyMap<string, number>): number[] | null {
  const first = bytes.get(text[index]!)
  const following = first === undefined ? null : followingOf(first)
  if (following === null) return null
  const found = [first!]
  for (let at = index + 1; at <= index + following; at++) {
    const byte = bytes.get(text[at] ?? '')
    if (byte === undefined || byte > 0xbf) return null
    found.push(byte)
  }
  return found
}

/** Returns the length of the end of a text that may be an incomplete character. */
export function openLength(text: string, encoding: TwiceEncoding): number {
  for (let length = 1; length <= Math.min(3, text.length); length++)
    if (followingOf(bytesBy[encoding].get(text[text.length - length]!) ?? 0) !== null) return length
  return 0
}

/** Returns whether all characters beyond ASCII in a text may have been encoded twice. */
export function isAllTwice(text: string, encoding: TwiceEncoding): boolean {
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) < 128) continue
    const character = characterAt(text, index, bytesBy[encoding])
    if (character === null) return false
    index += character.length - 1
  }
  return true
}

/** Undoes the second encoding of a text. */
export function decodeOnce(text: string, encoding: TwiceEncoding): string {
  const pieces: string[] = []
  let start = 0
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) < 128) continue
    const character = characterAt(text, index, bytesBy[encoding])
    if (character === null) continue
    pieces.push(text.slice(start, index), Buffer.from(character).toString())
    start = index + character.length
    index = start - 1
  }
  return pieces.join('') + text.slice(start)
}
