import { createReadStream } from 'node:fs'
import type { Encoding } from './file-source.ts'

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

// The platform has no decoders for DOS code pages. These are their characters from 128 on.
const codePages: Partial<Record<Encoding, string>> = {
  ibm850:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
  ibm437:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0',
}

const decodePage = (bytes: Uint8Array, page: string) =>
  Buffer.from(bytes)
    .toString('latin1')
    .replaceAll(/[\x80-\xff]/g, (character) => page[character.charCodeAt(0) - 128]!)

// Handles text that was encoded twice: a program that decodes UTF-8 with a single-byte encoding writes
// `GarcÃ­a` for `García`.

/** The single-byte encoding with which the UTF-8 text was wrongly decoded, by double encoding. */
const mistakenFor = { 'utf-8-twice': 'windows-1252', 'utf-8-twice-mac': 'macintosh' } as const

export type TwiceEncoding = keyof typeof mistakenFor

export const twiceEncodings = Object.keys(mistakenFor) as TwiceEncoding[]

const isTwice = (encoding: string): encoding is TwiceEncoding => Object.hasOwn(mistakenFor, encoding)

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

/** Undoes the second encoding of a string. */
function decodeOnce(text: string, encoding: TwiceEncoding): string {
  let decoded = ''
  let end = 0
  for (const { 0: found, index } of inBytes(text, encoding).matchAll(utf8Character)) {
    decoded += text.slice(end, index) + Buffer.from(found, 'latin1').toString()
    end = index + found.length
  }
  return decoded + text.slice(end)
}

// The bytes of a UTF-8 character beyond ASCII (RFC 3629, section 4), in Latin-1.
const utf8Character = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/g

/** Returns the length of the end of a string that may be an incomplete character. */
export const openLength = (text: string, encoding: TwiceEncoding): number =>
  /[\xc2-\xf4][^\xc2-\xf4]{0,2}$/.exec(inBytes(text.slice(-3), encoding))?.[0].length ?? 0

/** Returns whether all characters beyond ASCII in a string may have been encoded twice. */
export const isAllTwice = (text: string, encoding: TwiceEncoding): boolean =>
  !/[^\0-\x7f]/.test(inBytes(text, encoding).replaceAll(utf8Character, ''))

/** Replaces each character by its byte, in Latin-1. Characters that the encoding lacks stay beyond Latin-1. */
const inBytes = (text: string, encoding: TwiceEncoding) =>
  text.replaceAll(/[^\0-\x7f]/g, (character) => highBytes[encoding].get(character) ?? '\uffff')

const highBytes = Object.fromEntries(
  twiceEncodings.map((encoding) => [encoding, highBytesOf(mistakenFor[encoding])]),
) as Record<TwiceEncoding, ReadonlyMap<string, string>>

/** Returns the byte, in Latin-1, of each character from 128 on. */
function highBytesOf(encoding: (typeof mistakenFor)[TwiceEncoding]): ReadonlyMap<string, string> {
  const high = Array.from({ length: 128 }, (_, index) => 128 + index)
  const characters = [...new TextDecoder(encoding).decode(Uint8Array.from(high))]
  const bytes = new Map(high.map((byte, index) => [characters[index]!, String.fromCharCode(byte)]))
  // Many programs assume Latin-1, which differs from Windows-1252 below 160.
  if (encoding === 'windows-1252')
    for (const byte of high.slice(0, 32)) bytes.set(String.fromCharCode(byte), String.fromCharCode(byte))
  return bytes
}
