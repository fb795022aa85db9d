import { createReadStream } from 'node:fs'
import type { Encoding } from './encoding.ts'
import { type TwiceEncoding, decodeOnce, isTwice, openLength } from './twice-encoded.ts'

// The platform has no decoders for DOS code pages. These are their characters from 128 on.
const codePages: Partial<Record<Encoding, string>> = {
  ibm850:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
  ibm437:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0',
}

/**
 * Returns a function that decodes the next bytes of a text. Keeps an incomplete character until the rest
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
