import { open } from 'node:fs/promises'
import { utf16Of } from './find-encoding.ts'
import { Parts, isArchive, protectedByPassword } from './read-parts.ts'

/** Number of bytes that identify a format. Enough for blank lines, a header and some rows. */
export const startBytes = 64 * 1024

/** Returns the first bytes of the file at `path`. */
export const readStart = (path: string) => readBytes(path, 0, startBytes)

/**
 * Returns why the file at `path`, which begins with `start`, cannot contain records and what to do about it,
 * or null. The file name distinguishes formats that begin with the same bytes.
 */
export async function fileProblem(path: string, name: string, start: Buffer): Promise<string | null> {
  if (name.startsWith('~$'))
    return 'This is a lock file that Excel leaves beside an open workbook. Import the workbook itself.'
  if (isArchive(start)) return archiveProblem(path)
  if (start.subarray(0, 8).toString('latin1') === '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')
    return compoundProblem(await compoundEntries(path, start))
  const bytes = start.subarray(0, 300).toString('latin1')
  const known = signatures.find(([, at, ...starts]) => starts.some((start) => bytes.startsWith(start, at)))
  if (known !== undefined) return known[0]
  const text = textOf(start)
  if (text === null) return notText
  return start.length < startBytes && text.trim() === '' && !mayBeEmpty(name)
    ? 'There is no row to import: this file is empty.'
    : textProblem(text, name)
}

async function readBytes(path: string, position: number, length: number): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** Returns whether a file may be empty, as a stream of changes may be on a day with no changes. */
const mayBeEmpty = (name: string) => !name.includes('.') || /\.(?:nd)?jsonl?$/i.test(name)

const use = 'Export the deals as XLSX, ODS, CSV or NDJSON and import that.'
const notText = `This is neither a text file nor a workbook. ${use}`
const unpack = 'Unpack it and import the file in it.'
const oldWorkbook =
  'This is a workbook of an old Excel (.xls). Open it in Excel, save it as an Excel workbook (.xlsx) and import that.'

const pdf = `This is a PDF. ${use}`
const image = `This is an image. ${use}`
const archive = `This is an archive. ${unpack}`
const emptyZip = `This ZIP archive is empty or split into parts. ${use}`
/** Problems of files that contain these bytes (in Latin-1) at an offset. */
const signatures: [problem: string, at: number, ...bytes: string[]][] = [
  [pdf, 0, '%PDF-'],
  [image, 0, '\x89PNG', '\xff\xd8\xff', 'GIF87a', 'GIF89a', 'II*\0', 'MM\0*'],
  [image, 4, 'ftyphei', 'ftypmif1', 'ftypavif'],
  [image, 8, 'WEBPVP8'],
  [`This file is compressed with gzip. ${unpack}`, 0, '\x1f\x8b'],
  [archive, 0, '7z\xbc\xaf\x27\x1c', 'Rar!\x1a\x07', '\xfd7zXZ\0', '\x28\xb5\x2f\xfd'],
  [archive, 4, '1AY&SY'],
  [archive, 257, 'ustar'],
  [emptyZip, 0, 'PK\x05\x06', 'PK\x07\x08'],
]

// NUL, tab, line ends, the end-of-file character of DOS, and separators.
const textControls: ReadonlySet<number> = new Set([0, 9, 10, 11, 12, 13, 26, 28, 29, 30, 31])

/** Decodes the start of a text file, or returns null for binary data. */
function textOf(start: Buffer): string | null {
  const encoding = utf16Of(start.subarray(0, 1000))
  if (encoding !== null) return new TextDecoder(encoding).decode(start)
  // Some programs pad texts with NUL characters.
  const zeros = start.filter((byte) => byte === 0).length
  const others = start.filter((byte) => byte < 32 && !textControls.has(byte)).length
  if (others * 100 > start.length || zeros * 4 > start.length) return null
  return start.toString('utf-8').replace(/^\uFEFF/, '')
}

const pageStart = /^<(?:!doctype\s+html|html|head|body|meta|table|div|style|script)[\s>]/i

/** Returns whether a string is a web page, possibly after an XML declaration or a comment. */
function isWebPage(text: string): boolean {
  let start = text
  for (const [open, close] of [
    ['<?xml', '>'],
    ['<!--', '-->'],
  ] as const)
    if (start.startsWith(open)) start = start.slice(start.indexOf(close) + close.length).trimStart()
  return pageStart.test(start)
}

const mailHeader =
  /^(?:received|return-path|delivered-to|mime-version|message-id|dkim-signature|x-[a-z-]{1,40}|from|to|subject|date|content-type): ?\S/i

/** Returns the problem of a string that is not a table or JSON, or null. */
function textProblem(text: string, name: string): string | null {
  const start = text.trimStart()
  const isNamedWorkbook = /\.xl\w{1,3}$/i.test(name)
  const savedAs = isNamedWorkbook ? ` saved as ${name.slice(name.lastIndexOf('.'))}` : ''
  const saveAgain = 'Open it in Excel, save it as an Excel workbook (.xlsx) and import that.'
  const lines = start.slice(0, 5000).split(/\r\n|\n|\r/, 3)
  if (lines.length === 3 && lines.every((line) => mailHeader.test(line) || /^[ \t]+\S/.test(line)))
    return /multipart\/related/i.test(start.slice(0, 5000)) && /^(?:mime-version|from: <?saved)/i.test(start)
      ? `This is a web page${savedAs}. ${saveAgain}`
      : 'This is an e-mail. Save its attachment and import that.'
  if (!start.startsWith('<')) return shortcutProblem(start, name)
  if (/urn:schemas-microsoft-com:office:spreadsheet|progid="Excel\.Sheet"/.test(start.slice(0, 2000)))
    return `This is an XML spreadsheet of Excel 2003${savedAs}. ${saveAgain}`
  if (/<office:document[\s>]/.test(start.slice(0, 2000)))
    return 'This is a flat OpenDocument file. Open it in LibreOffice, save it as ODS and import that.'
  if (isWebPage(start))
    return isNamedWorkbook ? `This is a web page${savedAs}. ${saveAgain}` : `This is a web page. ${use}`
  if (/^<(?:\?xml|svg)[\s>]/i.test(start))
    return /<svg[\s>]/i.test(start.slice(0, 2000))
      ? `This is an image. ${use}`
      : `This is an XML file. ${use}`
  return null
}

/** Returns the problem of a shortcut to a sheet on the web, or null for other files. */
function shortcutProblem(start: string, name: string): string | null {
  return /\.(?:gsheet|url|webloc|desktop)$/i.test(name) || /^\[InternetShortcut\]/i.test(start)
    ? 'This is a shortcut to a file on the web. Open it there, download it as XLSX or CSV and import that.'
    : null
}

/** Returns the names in the directory of a compound file, the format of old Office documents. */
async function compoundEntries(path: string, start: Buffer): Promise<string[]> {
  if (start.length < 512) return []
  const sectorBytes = start.readUInt16LE(30) === 12 ? 4096 : 512
  const directory = await readBytes(path, (start.readUInt32LE(48) + 1) * sectorBytes, 4096)
  return Array.from({ length: Math.floor(directory.length / 128) }, (_, index) => {
    const entry = directory.subarray(128 * index, 128 * (index + 1))
    return entry.toString('utf16le', 0, Math.max(0, Math.min(64, entry.readUInt16LE(64)) - 2))
  })
}

function compoundProblem(entries: string[]): string {
  const has = (...names: string[]) => names.some((name) => entries.includes(name))
  if (has('EncryptedPackage', 'EncryptionInfo')) return protectedByPassword
  if (has('Workbook', 'Book')) return oldWorkbook
  if (has('WordDocument')) return `This is a Word document. ${use}`
  if (has('PowerPoint Document')) return `This is a PowerPoint presentation. ${use}`
  if (entries.some((name) => name.startsWith('__')))
    return 'This is an e-mail. Save its attachment and import that.'
  return oldWorkbook
}

async function archiveProblem(path: string): Promise<string | null> {
  return Parts.read(path, async (parts) => {
    const names = parts.names()
    const has = (pattern: RegExp) => names.some((part) => pattern.test(part.toLowerCase()))
    if (has(/^xl\/workbook\.bin$/))
      return 'This is a binary workbook (.xlsb). Open it in Excel, save it as an Excel workbook (.xlsx) and import that.'
    if (has(/^encrypted-package$/) || (await isEncrypted(parts))) return protectedByPassword
    if (has(/^xl\/workbook\d*\.xml$/)) return null
    if (has(/\bindex\.zip$/) || has(/\.iwa$/))
      return 'This is an Apple Numbers document. In Numbers, choose File > Export To > Excel or CSV and import that.'
    if (has(/^word\//)) return `This is a Word document. ${use}`
    if (has(/^ppt\//)) return `This is a PowerPoint presentation. ${use}`
    if (has(/^content\.xml$/)) {
      const type = await parts.text('mimetype', 200)
      const isSheet = type === null || type.includes('spreadsheet')
      return isSheet ? null : `This is an OpenDocument file, but not a spreadsheet. ${use}`
    }
    return has(/^\[content_types\]\.xml$|^_rels\//) ? null : zipProblem(names)
  })
}

async function isEncrypted(parts: Parts): Promise<boolean> {
  const manifest = 'META-INF/manifest.xml'
  let isFound = false
  if (parts.has(manifest) && parts.has('content.xml'))
    await parts.parse(manifest, {
      open(name) {
        if (name === 'encryption-data') isFound = true
      },
    })
  return isFound
}

function zipProblem(names: string[]): string {
  const files = names.filter((name) => !/\/$|^__macosx\/|(?:^|\/)(?:\.|thumbs\.db$)/i.test(name))
  const [first] = files
  if (first === undefined) return `This ZIP archive is empty. ${use}`
  return files.length === 1
    ? `This ZIP archive contains ${first.slice(0, 100)}. Unpack it and import that.`
    : `This ZIP archive contains ${files.length} files. Unpack it and import one of them.`
}
