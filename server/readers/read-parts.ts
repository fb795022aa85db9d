import { SaxesParser } from 'saxes'
import { type Entry, type ZipFile, openPromise } from 'yauzl'
import { UnreadableFileError, UnsupportedFileError } from '../records/record-source.ts'

// Maximum uncompressed size of a part of the file. A deal takes about 8 KB as XML.
export const partMaxBytes = 512 * 1024 * 1024
const partsMax = 10_000

// Maximum size of an element. A spreadsheet cell has at most 32,767 characters.
const silenceMax = 1024 * 1024

const depthMax = 100

/** Returns whether a file that starts with these bytes may be a workbook, which is a ZIP archive. */
export const isArchive = (start: Buffer) => start.subarray(0, 4).toString('latin1') === 'PK\x03\x04'

/** Handlers for the start and end of elements, whose names have no namespace prefix, and for text. */
export interface Handlers {
  open?(name: string, attributes: Record<string, string>): void
  /** Called with text, possibly in pieces. */
  text?(text: string): void
  /** Called at the end of an element, with the text directly inside it. */
  close?(name: string, text: string): void
}

/** The parts of a ZIP archive. */
export class Parts {
  readonly #zip: ZipFile
  /** Keys are lowercase, because part names are case-insensitive (ECMA-376 part 2, 6.2.2). */
  readonly #entries: Map<string, Entry>

  private constructor(zip: ZipFile, entries: Map<string, Entry>) {
    this.#zip = zip
    this.#entries = entries
  }

  /**
   * Opens the archive at `path` and passes its parts to `read`.
   * @throws UnreadableFileError when it is damaged or not as expected
   */
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

  names(): string[] {
    return Array.from(this.#entries.values(), ({ fileName }) => fileName)
  }

  /** Returns the text of a part, or null if the part is missing or longer than `maxBytes`. */
  async text(name: string, maxBytes: number): Promise<string | null> {
    const entry = this.#entries.get(name.toLowerCase())
    if (entry === undefined || entry.uncompressedSize > maxBytes) return null
    const chunks = await Array.fromAsync(await this.#zip.openReadStreamPromise(entry))
    return Buffer.concat(chunks as Buffer[]).toString()
  }

  /** Parses an XML part until `isDone`. `settle` waits until pending rows are written. */
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
    if (entry === undefined) throw damaged()
    if (entry.uncompressedSize > maxBytes)
      throw new UnsupportedFileError(
        `This workbook is too large: its part ${name} takes ${inMegabytes(entry.uncompressedSize)}, and at most ${inMegabytes(maxBytes)} are read. Save the sheet as CSV and import that.`,
      )
    const read = { bytes: 0, ended: 0 }
    const parser = parserOf(handlers, () => (read.ended = read.bytes))
    const decoder = new TextDecoder()
    for await (const chunk of (await this.#zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
      read.bytes += chunk.length
      parser.write(decoder.decode(chunk, { stream: true }))
      if (read.bytes - read.ended > silenceMax) throw damaged()
      if (isDone()) return
      await settle?.()
    }
    parser.close()
  }
}

function parserOf(handlers: Handlers, onElement: () => void): SaxesParser {
  const parser = new SaxesParser()
  const texts: string[] = []
  const nameOf = (name: string) => name.slice(name.indexOf(':') + 1)
  parser.on('opentag', ({ name, attributes }) => {
    onElement()
    if (texts.push('') > depthMax) throw damaged()
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

const inMegabytes = (bytes: number) => `${Math.ceil(bytes / 1024 / 1024)} MB`

/** The problem of a file that is protected by a password. */
export const protectedByPassword =
  'This workbook is protected by a password. Remove the password, save it and import it again.'

const isSystemError = (error: unknown) => error instanceof Error && 'syscall' in error

const damaged = (cause?: unknown) =>
  new UnsupportedFileError(
    'This workbook is damaged or incomplete. Get it again, or open it in a spreadsheet program, save it as XLSX and import that.',
    { cause },
  )

async function openZip(path: string): Promise<ZipFile> {
  try {
    return await openPromise(path, { lazyEntries: true, autoClose: false, validateEntrySizes: true })
  } catch (error) {
    throw isSystemError(error) ? error : damaged(error)
  }
}

async function listEntries(zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > partsMax) throw damaged()
  const entries = new Map<string, Entry>()
  for await (const entry of zip.eachEntry()) {
    if (entry.isEncrypted()) throw new UnsupportedFileError(protectedByPassword)
    entries.set(entry.fileName.toLowerCase(), entry)
  }
  return entries
}
