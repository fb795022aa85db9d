// A program that takes UTF-8 for an encoding of one byte a character writes `GarcÃ­a` for `García`.

/** What UTF-8 was taken for before it was encoded again. */
const takenFor = { 'utf-8-twice': 'windows-1252', 'utf-8-twice-mac': 'macintosh' } as const

export type TwiceEncoding = keyof typeof takenFor

export const twiceEncodings = Object.keys(takenFor) as TwiceEncoding[]

/** Returns whether an encoding is UTF-8 that was encoded twice. */
export const isTwice = (encoding: string): encoding is TwiceEncoding => Object.hasOwn(takenFor, encoding)

/** The bytes of characters from 128 on, the characters of several bytes of UTF-8, and their first ones. */
interface Misread {
  bytes: ReadonlyMap<string, number>
  sequence: RegExp
  isFirst: RegExp
}

const misreadBy = Object.fromEntries(
  twiceEncodings.map((encoding) => [encoding, misreadOf(takenFor[encoding])]),
) as Record<TwiceEncoding, Misread>

function misreadOf(encoding: (typeof takenFor)[TwiceEncoding]): Misread {
  const high = Uint8Array.from({ length: 128 }, (_, index) => 128 + index)
  const characters = [...new TextDecoder(encoding).decode(high)]
  const bytes = new Map(characters.map((character, index) => [character, 128 + index]))
  // Many programs take it for Latin-1, which differs from Windows-1252 below 160.
  if (encoding === 'windows-1252')
    for (let byte = 128; byte < 160; byte++) bytes.set(String.fromCharCode(byte), byte)
  const classOf = (from: number, to: number) =>
    `[${[...bytes].flatMap(([character, byte]) => (byte >= from && byte <= to ? [character] : [])).join('')}]`
  const [rest, two, three, four] = [
    classOf(0x80, 0xbf),
    classOf(0xc2, 0xdf),
    classOf(0xe0, 0xef),
    classOf(0xf0, 0xf4),
  ]
  return {
    bytes,
    sequence: new RegExp(`${two}${rest}|${three}${rest}{2}|${four}${rest}{3}`, 'gu'),
    isFirst: new RegExp(classOf(0xc2, 0xf4), 'u'),
  }
}

/** Returns the length of the end of a text that the next part may complete to a character. */
export function openLength(text: string, encoding: TwiceEncoding): number {
  for (let length = 1; length <= Math.min(3, text.length); length++)
    if (misreadBy[encoding].isFirst.test(text[text.length - length]!)) return length
  return 0
}

/** Returns whether all characters beyond ASCII of a text may have been encoded twice. */
export const isAllTwice = (text: string, encoding: TwiceEncoding) =>
  !/[^\0-\x7f]/.test(text.replaceAll(misreadBy[encoding].sequence, ''))

/** Returns a text as it was before it was encoded a second time. */
export function decodeOnce(text: string, encoding: TwiceEncoding): string {
  const { bytes, sequence } = misreadBy[encoding]
  return text.replaceAll(sequence, (characters) =>
    Buffer.from([...characters].map((character) => bytes.get(character)!)).toString(),
  )
}
