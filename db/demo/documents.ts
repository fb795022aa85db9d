import { crc32, deflateSync } from 'node:zlib'
import { installer } from '#db/demo/people.ts'
import { Random, seedOf } from '#db/demo/random.ts'
import type { Deal } from '#server/deals/deal.ts'

type Fact = readonly [name: string, value: string | null]

/** Returns a deal's home improvement contract. The same deal always yields the same bytes. */
export function agreementPdf(deal: Deal): Buffer {
  const signed = `signed electronically ${(deal.reSignDate ?? deal.createDate)?.slice(0, 10) ?? ''}`
  const facts: Fact[] = [
    ...factsOf(deal),
    ['Contractor', installer.name],
    ['Sold by', deal.dealer],
    ['Inverters', joined(' x ', deal.numberOfInverters, deal.inverterType)],
    ['Battery', deal.hasBattery ? joined(' x ', deal.numberOfBatteries, deal.battery) : 'None'],
    ['Included adders', deal.adders ?? 'None'],
    ['Contract price', dollars(deal.amount)],
    ['Payment', deal.lender ? `Loan of ${dollars(Number(deal.loanAmount))} from ${deal.lender}` : 'Cash'],
    ['For the homeowner', joined(', ', homeownerOf(deal), signed)],
    ['For the contractor', joined(', ', deal.closerName, signed)],
  ]
  const lines = terms.map((text, index) => show(60, 290 - index * 13, 9, text))
  return pdf(`Home Improvement Contract ${deal.id}`, facts, lines)
}

const terms = [
  'The contractor designs the system, applies for permits and interconnection, installs the system and asks',
  'for inspection. Changes to the work or the price need a change order signed by both parties.',
  'You, the buyer, may cancel this transaction at any time prior to midnight of the third business day after',
  'the date of this transaction. See the attached notice of cancellation form for an explanation.',
]

const modulesPerRow = 12

/** Returns the roof plan of a deal with its number of modules. The same deal always yields the same bytes. */
export function planSetPdf(deal: Deal): Buffer {
  const count = Math.min(Number(deal.numberOfModules), 6 * modulesPerRow)
  const modules = Array.from({ length: count }, (_, index) => {
    const [column, row] = [index % modulesPerRow, Math.floor(index / modulesPerRow)]
    return `${80 + column * 38} ${450 - row * 60} 34 56 re B`
  })
  const roof = '1 w 0.2 0.2 0.2 RG 0.96 0.96 0.94 rg 60 130 492 396 re B'
  return pdf(`PV-1 Roof plan ${deal.id}`, factsOf(deal), [
    roof,
    '0.13 0.2 0.36 rg 0.8 0.85 0.95 RG',
    ...modules,
  ])
}

const joined = (separator: string, ...parts: (string | null)[]) => parts.filter(Boolean).join(separator)
const homeownerOf = ({ firstName, lastName }: Deal) => joined(' ', firstName, lastName)

const factsOf = (deal: Deal): Fact[] => [
  ['Homeowner', homeownerOf(deal)],
  ['Property', joined(', ', deal.streetAddress, deal.city, joined(' ', deal.state, deal.zipCode))],
  ['Utility', joined(', ', deal.utilityName, deal.nameOnUb && `account of ${deal.nameOnUb}`)],
  ['System size', deal.systemSize && `${deal.systemSize} kW DC`],
  ['Modules', joined(' x ', deal.numberOfModules, deal.moduleType)],
]

const dollars = (amount: number | null) =>
  amount === null ? null : amount.toLocaleString('en-US', { style: 'currency', currency: 'USD' })

const show = (x: number, y: number, size: number, text: string, font = 'Regular') =>
  `BT /${font} ${size} Tf ${x} ${y} Td ${literal(text)} Tj ET`

/**
 * Returns a one-page US Letter document as PDF 1.4 in standard fonts, with a title, facts, and operators that
 * draw the content below the facts.
 */
function pdf(title: string, facts: readonly Fact[], operators: readonly string[]): Buffer {
  const content = [
    '0.85 0.55 0.1 rg 60 752 492 3 re f',
    ...operators,
    '0 g',
    show(60, 720, 18, title, 'Bold'),
    ...facts.flatMap(([name, value], index) => [
      show(60, 690 - index * 22, 9.5, name, 'Bold'),
      show(190, 690 - index * 22, 9.5, value || '–'),
    ]),
    show(60, 60, 8, 'Demonstration data: neither the people nor the project are real.'),
  ].join('\n')
  const font = (name: string) =>
    `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`
  return pdfFile([
    '<< /Type /Catalog /Pages 2 0 R /Lang (en-US) >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /Regular 5 0 R /Bold 6 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    font('Helvetica'),
    font('Helvetica-Bold'),
    `<< /Title ${literal(title)} /Author ${literal(installer.name)} >>`,
  ])
}

/** Characters that have different codes in WinAnsiEncoding (ISO 32000-1, annex D.2) and Latin-1. */
const winAnsi: Record<string, string> = { '‘': '\x91', '’': '\x92', '“': '\x93', '”': '\x94', '–': '\x96' }

/** Returns a single-byte PDF string. Unsupported letters lose their accents or become question marks. */
function literal(text: string): string {
  const bytes = [...text.normalize('NFC')].map((character) => {
    if (/[\x20-\x7e\xa0-\xff]/.test(character)) return character
    return winAnsi[character] ?? /^[\x20-\x7e]/.exec(character.normalize('NFD'))?.[0] ?? '?'
  })
  return `(${bytes.join('').replace(/[\\()]/g, '\\$&')})`
}

/**
 * Returns a PDF file of objects numbered from 1, with their cross-reference table (ISO 32000-1, 7.5). The
 * first object is the catalog, and the last is the document information.
 */
function pdfFile(objects: readonly string[]): Buffer {
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

const [width, height] = [480, 320]
const [eaves, ridge] = [190, 90]
const roofs = [
  [120, 82, 66],
  [96, 98, 104],
  [150, 94, 70],
]

/**
 * Returns a picture of the deal's house as PNG, with or without modules on the roof. The same deal always
 * yields the same picture.
 */
export function housePhoto(deal: Deal, isInstalled: boolean): Buffer {
  const random = new Random(seedOf(String(deal.id)))
  const roof = random.pick(roofs)
  const modules = isInstalled ? Math.min(Number(deal.numberOfModules), 24) : 0
  // Each row of pixels is preceded by a filter byte.
  const rows = Buffer.alloc((width * 3 + 1) * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const grain = 3 * random.int(-1, 1)
      const color = colorAt(x, y, roof, modules).map((value) => Math.max(0, Math.min(255, value + grain)))
      rows.set(color, y * (width * 3 + 1) + 1 + x * 3)
    }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Eight bits per channel and three channels (RFC 2083).
  header.set([8, 2], 8)
  // The default compression level takes three times as long for a file that is only 4% smaller.
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(rows, { level: 4 })), chunk('IEND')]
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks])
}

/**
 * Returns the red, green, and blue values of a pixel of the grass, the roof with its modules, the wall with
 * its door, or the sky.
 */
function colorAt(x: number, y: number, roof: number[], modules: number): number[] {
  if (y > 270) return [104, 138, 72]
  const up = (eaves - y) / (eaves - ridge)
  const across = (x - 70 - up * 40) / (340 - up * 80)
  if (up > 0 && up <= 1 && across > 0 && across < 1)
    return isModule(across, up, modules) ? [28, 42, 84] : roof
  if (y >= eaves && x > 90 && x < 390) return x > 225 && x < 262 && y > 208 ? [98, 66, 48] : [222, 208, 184]
  return [150 + y / 4, 190 + y / 6, 235]
}

/** Returns true if a point on the roof (0 to 1 in both directions) is on one of `count` modules. */
function isModule(across: number, up: number, count: number): boolean {
  const [column, row] = [(across - 0.1) * 10, (0.9 - up) * 3.75]
  const isBeside = column < 0 || column >= 8 || row < 0 || row >= 3
  return !isBeside && column % 1 > 0.06 && row % 1 > 0.08 && Math.floor(row) * 8 + Math.floor(column) < count
}

function chunk(name: string, data = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}
