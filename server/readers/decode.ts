import { createReadStream } from 'node:fs'
import type { Encoding } from './encoding.ts'

// The platform has no decoders for DOS code pages. These are their characters from 128 on.
const codePages: Partial<Record<Encoding, string>> = {
  ibm850:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
  ibm437:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0',
}

/**
 * Returns a function that decodes the next bytes of a string. Keeps an incomplete character until the rest
 * arrives.
 */
export function decoderOf(encoding: Encoding): (bytes?: Uint8Array) => string {
  const page = codePages[encoding]
  if (page !== undefined) return (bytes) => (bytes === undefined ? '' : decodePage(bytes, page))
  if (isTwice(encoding)) return twiceDecoder(encoding)
  const decoder = new TextDecoder(encoding)
  return (bytes) => (bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true }))
}

function twiceDecoder(encoding: TwiceEncoding): (bytes?: Uint8Array) => string {
  const decode = decoderOf('utf-8')
  let rest = ''
  return (bytes) => {
    const text = rest + decode(bytes)
    const end = bytes === undefined ? text.length : text.length - openLength(text, encoding)
    rest = text.slice(end)
    return decodeOnce(text.slice(0, end), encoding)
  }
}

const decodePage = (bytes: Uint8Array, page: string) =>
  Buffer.from(bytes)
    .toString('latin1')
    .replaceAll(/[\x80-\xff]/g, (character) => page[character.charCodeAt(0) - 128]!)

/** The path of a file, or a function that opens the file for each pass. */
export type TextFile = string | (() => AsyncIterable<Uint8Array>)

const chunkBytes = 256 * 1024

/** Yields the bytes of a file in chunks. */
export const bytesOf = (file: TextFile): AsyncIterable<Uint8Array> =>
  typeof file === 'string' ? createReadStream(file, { highWaterMark: chunkBytes }) : file()

/** Yields the text of a file in chunks, without a byte order mark. */
export async function* textOf(file: TextFile, encoding: Encoding): AsyncGenerator<string> {
  const decode = decoderOf(encoding)
  for await (const bytes of bytesOf(file)) yield decode(bytes)
  yield decode()
}

// Handles text that was encoded twice: a program that decodes UTF-8 with a single-byte encoding writes
// `GarcÃ­a` for `García`.

/** The single-byte encoding with which the UTF-8 text was wrongly decoded, by double encoding. */
const mistakenFor = { 'utf-8-twice': 'windows-1252', 'utf-8-twice-mac': 'macintosh' } as const

export type TwiceEncoding = keyof typeof mistakenFor

export const twiceEncodings = Object.keys(mistakenFor) as TwiceEncoding[]

/** Returns whether an encoding is doubly encoded UTF-8. */
const isTwice = (encoding: string): encoding is TwiceEncoding => Object.hasOwn(mistakenFor, encoding)

const bytesBy = Object.fromEntries(
  twiceEncodings.map((encoding) => [encoding, highBytesOf(mistakenFor[encoding])]),
) as Record<TwiceEncoding, ReadonlyMap<string, number>>

/** Returns the byte of each character from 128 on. */
function highBytesOf(encoding: (typeof mistakenFor)[TwiceEncoding]): ReadonlyMap<string, number> {
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

/** Returns the length of the end of a string that may be an incomplete character. */
export function openLength(text: string, encoding: TwiceEncoding): number {
  for (let length = 1; length <= Math.min(3, text.length); length++)
    if (followingOf(bytesBy[encoding].get(text[text.length - length]!) ?? 0) !== null) return length
  return 0
}

/** Returns whether all characters beyond ASCII in a string may have been encoded twice. */
export function isAllTwice(text: string, encoding: TwiceEncoding): boolean {
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) < 128) continue
    const character = characterAt(text, index, bytesBy[encoding])
    if (character === null) return false
    index += character.length - 1
  }
  return true
}

/** Undoes the second encoding of a string. */
function decodeOnce(text: string, encoding: TwiceEncoding): string {
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
