import { installer } from '#db/demo/staff.ts'

/** A page without its drawing. */
interface Page {
  /** In points. */
  width: number
  height: number
  title: string
  createDate: string | null
}

/**
 * Returns a PDF 1.4 of one page with this content stream, in standard fonts: `/Regular` and `/Bold`. The same
 * arguments yield the same bytes.
 */
export function onePage(content: string, { width, height, title, createDate }: Page): Buffer {
  const font = (name: string) =>
    `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`
  const created =
    createDate === null ? '' : ` /CreationDate (D:${createDate.replace(/[-:T]/g, '').slice(0, 14)}Z)`
  return file([
    '<< /Type /Catalog /Pages 2 0 R /Lang (en-US) /ViewerPreferences << /DisplayDocTitle true >> >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents 4 0 R /Resources << /Font << /Regular 5 0 R /Bold 6 0 R >> >> >>`,
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    font('Helvetica'),
    font('Helvetica-Bold'),
    `<< /Title ${literal(title)} /Author ${literal(installer.name)}${created} >>`,
  ])
}

/** Characters of WinAnsiEncoding (ISO 32000-1, annex D.2) that Latin-1 does not have at the same place. */
const winAnsi: Record<string, string> = {
  '€': '\x80',
  '…': '\x85',
  '‘': '\x91',
  '’': '\x92',
  '“': '\x93',
  '”': '\x94',
  '•': '\x95',
  '–': '\x96',
  '—': '\x97',
  '™': '\x99',
}

/** Returns a single-byte PDF string; unsupported letters lose their accents or become question marks. */
export function literal(text: string): string {
  const bytes = [...text.normalize('NFC')].map((character) => {
    if (/[\x20-\x7e\xa0-\xff]/.test(character)) return character
    return winAnsi[character] ?? /^[\x20-\x7e]/.exec(character.normalize('NFD'))?.[0] ?? '?'
  })
  return `(${bytes.join('').replace(/[\\()]/g, '\\$&')})`
}

/**
 * Objects numbered from 1, the first the catalog and the last the information, with their cross-reference
 * table (ISO 32000-1, 7.5).
 */
function file(objects: readonly string[]): Buffer {
  // Four bytes above 127 mark the file as binary.
  let body = '%PDF-1.4\n%\xe2\xe3\xcf\xd3\n'
  const entries = objects.map((object, index) => {
    const offset = body.length
    body += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const size = objects.length + 1
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${entries.join('')}`
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R /Info ${objects.length} 0 R >>\nstartxref\n${body.length}\n%%EOF\n`
  return Buffer.from(body + table + trailer, 'latin1')
}
