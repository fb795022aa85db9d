import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { scratch } from '#e2e/scratch.ts'
import { workbookOf, zip } from '#e2e/workbook.ts'
import { fileProblem, readStart } from './file-problem.ts'

const { write } = scratch()

async function problemOf(name: string, content: string | Buffer) {
  const path = await write(content)
  return fileProblem(path, name, await readStart(path))
}

const latin1 = (text: string) => Buffer.from(text, 'latin1')

/** Returns a compound file with these entries, whose directory is in the given sector. */
function compoundFile(entries: string[], sector = 0): Buffer {
  const file = Buffer.alloc(512 * (sector + 2) + 4096)
  latin1('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1').copy(file)
  file.writeUInt16LE(9, 30)
  file.writeUInt32LE(sector, 48)
  for (const [index, name] of ['Root Entry', ...entries].entries()) {
    const at = 512 * (sector + 1) + 128 * index
    file.write(name, at, 'utf16le')
    file.writeUInt16LE(2 * name.length + 2, at + 64)
  }
  return file
}

const deals = workbookOf({ Deals: [['id'], ['7']] })
const ods = (more: Record<string, string>) => zip({ 'content.xml': '<a/>', ...more })
const webPage = '<html><body><table><tr><td>Deal ID</td></tr></table></body></html>'
const spreadsheet2003 =
  '<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"></Workbook>'
const mail = 'From: Jo Reed <jo@a.example>\nTo: ana@b.example\nSubject: Deals, March\n\nHello'

test.each<[string, string, string | Buffer]>([
  ['a CSV file', 'deals.csv', 'id,stage\n1,Größe\n'],
  ['a CSV file in Windows-1252', 'deals.csv', latin1('id,stage\n1,Größe\n')],
  ['a CSV file named as a workbook', 'deals.xlsx', 'id,stage\n1,NTP\n'],
  ['a tab-separated file named .xls', 'deals.xls', 'id\tstage\n1\tNTP\n'],
  ['UTF-16', 'deals.csv', Buffer.from('\uFEFFid,stage\n1,NTP\n', 'utf16le')],
  [
    'big-endian UTF-16 without a byte order mark',
    'deals.txt',
    Buffer.from('id,stage\n1,NTP\n', 'utf16le').swap16(),
  ],
  ['text padded with NUL', 'deals.csv', 'id,stage\n1,NTP\0\0\n'],
  ['NDJSON', 'deals.ndjson', '{"id":1}\n'],
  ['NDJSON without a record', 'deals.ndjson', ''],
  ['empty standard input', 'input', ''],
  ['a file whose titles begin like an e-mail', 'deals.csv', 'From: dealer,id\nX,1\nY,2\n'],
  ['a file whose title begins like a binary format', 'deals.csv', 'ORC number,PAR1,BM\n1,2,3\n'],
  ['a workbook', 'deals.xlsx', deals],
  ['a workbook named as text', 'deals.csv', deals],
  [
    'an OpenDocument spreadsheet',
    'deals.ods',
    ods({ mimetype: 'application/vnd.oasis.opendocument.spreadsheet' }),
  ],
])('%s can be imported', async (_what, name, content) => expect(await problemOf(name, content)).toBeNull())

test.each<[string, string | Buffer, RegExp]>([
  ['deals.xls', webPage, /^This is a web page saved as \.xls\. Open it in Excel, save it as/],
  ['deals.xls', `\uFEFF\r\n<!DOCTYPE html>\n${webPage}`, /web page saved as \.xls/],
  ['deals.xls', `<!-- made by a report --><style>td {}</style>${webPage}`, /web page saved as \.xls/],
  ['deals.xls', Buffer.from(`\uFEFF${webPage}`, 'utf16le'), /web page saved as \.xls/],
  [
    'deals.xls',
    `MIME-Version: 1.0\nX-Document-Type: Workbook\nContent-Type: multipart/related; boundary="x"\n\n`,
    /web page saved as \.xls/,
  ],
  ['export.csv', webPage, /^This is a web page\. Export the deals as/],
  ['deals.xls', spreadsheet2003, /^This is an XML spreadsheet of Excel 2003 saved as \.xls\./],
  ['deals.xml', spreadsheet2003, /^This is an XML spreadsheet of Excel 2003\./],
  ['deals.fods', '<?xml version="1.0"?><office:document office:version="1.3">', /flat OpenDocument/],
  ['deals.xml', '<?xml version="1.0"?><deals/>', /^This is an XML file/],
  ['deals.xls', compoundFile(['Workbook']), /^This is a workbook of an old Excel \(\.xls\)/],
  ['deals.xls', compoundFile(['Book'], 300), /old Excel/],
  ['deals.xlsx', compoundFile(['EncryptedPackage', 'EncryptionInfo']), /protected by a password/],
  [
    'deals.xlsx',
    compoundFile(['\u0006DataSpaces', 'Version', 'DataSpaceMap', 'EncryptedPackage'], 500),
    /protected by a password/,
  ],
  [
    'deals.ods',
    ods({
      'META-INF/manifest.xml':
        '<manifest:manifest><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>',
    }),
    /protected by a password/,
  ],
  ['notes.doc', compoundFile(['WordDocument']), /^This is a Word document/],
  ['mail.msg', compoundFile(['__substg1.0_0037001F']), /^This is an e-mail/],
  ['deals.xlsb', zip({ 'xl/workbook.bin': 'x' }), /^This is a binary workbook \(\.xlsb\)/],
  [
    'deals.numbers',
    zip({ 'Index/Document.iwa': 'x', 'preview.jpg': 'x' }),
    /^This is an Apple Numbers document/,
  ],
  ['deals.numbers', zip({ 'deals.numbers/Index.zip': 'x' }), /^This is an Apple Numbers document/],
  [
    'deals.docx',
    zip({ '[Content_Types].xml': '<a/>', 'word/document.xml': '<a/>' }),
    /^This is a Word document/,
  ],
  ['deals.pptx', zip({ 'ppt/presentation.xml': '<a/>' }), /^This is a PowerPoint presentation/],
  ['deals.odt', ods({ mimetype: 'application/vnd.oasis.opendocument.text' }), /not a spreadsheet/],
  [
    'deals.zip',
    zip({ '__MACOSX/._Deals.csv': 'x', 'Deals.csv': 'id\n1\n' }),
    /^This ZIP archive contains Deals\.csv\. Unpack it and import that\./,
  ],
  ['deals.zip', zip({ 'a.csv': 'x', 'b.csv': 'x' }), /contains 2 files/],
  ['deals.zip', zip({}), /ZIP archive is empty/],
  ['deals.xlsx', deals.subarray(0, deals.length / 2), /This workbook is damaged or incomplete/],
  ['deals.csv.gz', gzipSync('id\n1\n'), /compressed with gzip/],
  ['deals.7z', latin1('7z\xbc\xaf\x27\x1c\0\x04'), /archive/],
  ['deals.rar', latin1('Rar!\x1a\x07\x01\0'), /archive/],
  ['deals.pdf', '%PDF-1.7\n', /^This is a PDF/],
  ['deals.png', latin1('\x89PNG\r\n\x1a\n\0\0'), /^This is an image/],
  ['deals.heic', latin1('\0\0\0\x18ftypheic\0\0'), /^This is an image/],
  ['deals.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>', /^This is an image/],
  ['deals.eml', mail, /^This is an e-mail\. Save its attachment/],
  ['deals.parquet', latin1('PAR1\x15\x04\x15\0\x01\x02'), /^This is neither a text file nor a workbook/],
  ['~$deals.xlsx', latin1('\x08Jo Reed\0\0'), /lock file/],
  [
    'deals.gsheet',
    '{"url":"https://docs.google.com/open?id=1","doc_id":"1"}',
    /shortcut to a file on the web/,
  ],
  ['deals.dat', latin1('\x01\x02\0\x03\xff\xfe\0\0\x07'), /^This is neither a text file nor a workbook/],
  ['deals.csv', '', /^There is no row to import: this file is empty/],
  ['deals.csv', '\uFEFF \r\n\n', /this file is empty/],
])('rejects %s with advice (%#)', async (name, content, words) =>
  // A damaged archive is only detected when it is opened.
  expect(await problemOf(name, content).catch(String)).toMatch(words),
)
