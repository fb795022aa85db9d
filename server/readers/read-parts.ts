import { SaxesParser } from 'saxes'
import { type Entry, type ZipFile, openPromise } from 'yauzl'
import { UnreadableFileError } from '../deals/import/record-source.ts'

// Uncompressed size of a part of the file. A deal takes about 8 KB as XML.
export const partMaxBytes = 512 * 1024 * 1024
const partsMax = 10_000

// A cell holds at most 32,767 characters; a longer element is not from a spreadsheet.
const silenceMax = 1024 * 1024

const depthMax = 100

/** The start or end of an element, without its namespace prefix, and the text in between. */
export interface Handlers {
  open?(name: string, attributes: Record<string, string>): void
  /** Called with text, possibly in pieces. */
  text?(text: string): void
  /** Called with the text directly in the element. */
  close?(name: string, text: string): void
}

/** The parts of a ZIP archive. */
export class Parts {
  readonly #zip: ZipFile
  /** By lower-case name: part names differ not by case (ECMA-376 part 2, 6.2.2). */
  readonly #entries: Map<string, Entry>

  private constructor(zip: ZipFile, entries: Map<string, Entry>) {
    this.#zip = zip
    this.#entries = entries
  }

  /** Passes the parts of the archive at `path` to `read`. @throws UnreadableFileError when it is damaged or not as expected */
  static async read<T>(path: string, read: (parts: Parts) => Promise<T>): Promise<T> {
    const zip = await openZip(path)
    try {
      return await read(new Parts(zip, await listEntries(zip)))
    } catch (error) {
      throw error instanceof UnreadableFileError || isSystemError(error) ? error : damaged(error)
    } finally {
      zip.close()
    }
  }

  has(name: string): boolean {
    return this.#entries.has(name.toLowerCase())
  }

  /** Parses a part of XML until it `isDone`; `settle` waits until its rows are written. */
  async parse(
    name: string,
    handlers: Handlers,
    {
      maxBytes = partMaxBytes,
      settle,
      isDone = () => false,
    }: {
      maxBytes?: number
      settle?: (() => Promise<unknown>) | undefined
      isDone?: () => boolean
    } = {},
  ): Promise<void> {
    const entry = this.#entries.get(name.toLowerCase())
    if (entry === undefined) throw new UnreadableFileError(`not a workbook: it has no ${name}`)
    if (entry.uncompressedSize > maxBytes)
      throw new UnreadableFileError(
        `its part ${name} has ${entry.uncompressedSize} bytes; at most ${maxBytes} are read`,
      )
    const read = { bytes: 0, ended: 0 }
    const parser = parserOf(name, handlers, () => (read.ended = read.bytes))
    const decoder = new TextDecoder()
    for await (const chunk of (await this.#zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
      read.bytes += chunk.length
      parser.write(decoder.decode(chunk, { stream: true }))
      if (read.bytes - read.ended > silenceMax)
        throw new UnreadableFileError(`its part ${name} is no XML of a spreadsheet`)
      if (isDone()) return
      await settle?.()
    }
    parser.close()
  }
}

function parserOf(part: string, handlers: Handlers, onElement: () => void): SaxesParser {
  const parser = new SaxesParser()
  const texts: string[] = []
  const nameOf = (name: string) => name.slice(name.indexOf(':') + 1)
  parser.on('opentag', ({ name, attributes }) => {
    onElement()
    if (texts.push('') > depthMax) throw new UnreadableFileError(`its part ${part} is nested too deeply`)
    handlers.open?.(nameOf(name), attributes as Record<string, string>)
  })
  const addText = (text: string) => {
    if (texts.length === 0) return
    texts[texts.length - 1] += text
    handlers.text?.(text)
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', ({ name }) => {
    onElement()
    handlers.close?.(nameOf(name), texts.pop() ?? '')
  })
  parser.on('error', (error) => {
    throw error
  })
  return parser
}

const isSystemError = (error: unknown) => error instanceof Error && 'syscall' in error

const damaged = (error: unknown) =>
  new UnreadableFileError(`not a workbook: ${error instanceof Error ? error.message : 'it is damaged'}`)

async function openZip(path: string): Promise<ZipFile> {
  try {
    return await openPromise(path, { lazyEntries: true, autoClose: false, validateEntrySizes: true })
  } catch (error) {
    throw isSystemError(error) ? error : damaged(error)
  }
}

async function listEntries(zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > partsMax) throw new UnreadableFileError(`the file has ${zip.entryCount} parts`)
  const entries = new Map<string, Entry>()
  for await (const entry of zip.eachEntry()) entries.set(entry.fileName.toLowerCase(), entry)
  return entries
}
