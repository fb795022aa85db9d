import { installer } from '#db/demo/people.ts'
import type { Deal } from '#server/deals/deal.ts'

/** Text at a place of a page, in points from its lower left corner. */
interface Text {
  x: number
  y: number
  size: number
  isBold?: boolean
  text: string
}

interface Page {
  width: number
  height: number
  title: string
  createDate: string | null
  /** Drawn below the texts. */
  drawing: readonly string[]
  texts: readonly Text[]
}

const left = 60
const letter = { width: 612, height: 792 }

/**
 * Returns a deal's home improvement contract: one page of US Letter as PDF 1.4, in standard fonts; the same
 * deal yields the same bytes.
 */
export function agreementPdf(deal: Deal): Buffer {
  const homeowner = joined(' ', deal.firstName, deal.lastName)
  const signed = `signed electronically ${longDate(deal.reSignDate ?? deal.createDate)}`
  const facts = [
    ['Contract no.', String(deal.id)],
    ['Contractor', installer.name],
    ['Sold by', deal.dealer],
    ['Homeowner', homeowner],
    ['Property', address(deal)],
    ['Telephone', deal.primaryPhone],
    ['Utility', joined(', ', deal.utilityName, deal.nameOnUb && `account of ${deal.nameOnUb}`)],
    ['System size', deal.systemSize && `${deal.systemSize} kW DC`],
    ['Modules', joined(' x ', deal.numberOfModules, deal.moduleType)],
    ['Inverters', joined(' x ', deal.numberOfInverters, deal.inverterType)],
    ['Battery', deal.hasBattery ? joined(' x ', deal.numberOfBatteries, deal.battery) : 'None'],
    ['Roof', deal.roofType],
    ['Included adders', deal.adders ?? 'None'],
    ['Contract price', dollars(deal.amount)],
    ['Payment', deal.lender ? `Loan of ${dollars(Number(deal.loanAmount))} from ${deal.lender}` : 'Cash'],
    ['Homeowner', joined(', ', homeowner, signed)],
    ['For the contractor', joined(', ', deal.closerName, signed)],
  ] as const
  const title = 'Home Improvement Contract'
  return pdf({
    ...letter,
    title: `${title} ${deal.id}`,
    createDate: deal.createDate,
    drawing: [`0.85 0.55 0.1 rg ${left} ${letter.height - 40} ${letter.width - 2 * left} 3 re f 0 g`],
    texts: [
      { x: left, y: 720, size: 18, isBold: true, text: title },
      ...facts.flatMap(([name, value], index) => [
        { x: left, y: 690 - index * 22, size: 9.5, isBold: true, text: name },
        { x: 190, y: 690 - index * 22, size: 9.5, text: value || '–' },
      ]),
      ...terms.map((text, index) => ({ x: left, y: 290 - index * 13, size: 9, text })),
      { x: left, y: 60, size: 8, text: 'Demonstration data: neither the parties nor the contract are real.' },
    ],
  })
}

const terms = [
  'The contractor designs the system, applies for permits and interconnection, installs the system and asks',
  'for inspection. Changes to the work or the price need a change order signed by both parties.',
  'You, the buyer, may cancel this transaction at any time prior to midnight of the third business day after',
  'the date of this transaction. See the attached notice of cancellation form for an explanation.',
]

const joined = (separator: string, ...parts: (string | null)[]) => parts.filter(Boolean).join(separator)

const address = ({ streetAddress, city, state, zipCode }: Deal) =>
  joined(', ', streetAddress, city, joined(' ', state, zipCode))

const dollars = (amount: number | null) =>
  amount === null ? null : amount.toLocaleString('en-US', { style: 'currency', currency: 'USD' })

const longDate = (time: string | null) =>
  time === null ? '–' : new Date(time).toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' })

const roof = { left: 80, bottom: 110, width: 470, height: 360 }
const moduleSize = { width: 34, height: 56, gap: 4 }
const perRow = 11
const modulesMax = 5 * perRow

/** Returns the roof plan of a deal: one sheet of US Letter, landscape, with its number of modules. */
export function planSetPdf(deal: Deal): Buffer {
  const count = Math.min(Number(deal.numberOfModules) || perRow, modulesMax)
  const facts = [
    ['Project', String(deal.id)],
    ['Homeowner', joined(' ', deal.firstName, deal.lastName)],
    ['System', deal.systemSize && `${deal.systemSize} kW DC`],
    ['Modules', joined(' x ', String(count), deal.moduleType)],
    ['Inverter', deal.inverterType],
    ['Utility', deal.utilityName],
  ] as const
  return pdf({
    width: letter.height,
    height: letter.width,
    title: `Plan set ${deal.id}`,
    createDate: deal.engineeringCompleted ?? deal.createDate,
    drawing: [
      `1 w 0.2 0.2 0.2 RG 0.96 0.96 0.94 rg ${roof.left} ${roof.bottom} ${roof.width} ${roof.height} re B`,
      '0.13 0.2 0.36 rg 0.8 0.85 0.95 RG',
      ...Array.from({ length: count }, (_, index) => moduleAt(index)),
      '0 g',
    ],
    texts: [
      { x: roof.left, y: 540, size: 16, isBold: true, text: 'PV-1  Roof plan' },
      { x: roof.left, y: 520, size: 10, text: address(deal) },
      ...facts.flatMap(([name, value], index) => [
        { x: 580, y: 450 - index * 38, size: 8, isBold: true, text: name },
        { x: 580, y: 436 - index * 38, size: 10, text: value || '–' },
      ]),
      { x: roof.left, y: 60, size: 8, text: 'Demonstration data: not for construction. Not to scale.' },
    ],
  })
}

function moduleAt(index: number): string {
  const [row, column] = [Math.floor(index / perRow), index % perRow]
  const x = roof.left + 24 + column * (moduleSize.width + moduleSize.gap)
  const y = roof.bottom + roof.height - 24 - (row + 1) * (moduleSize.height + moduleSize.gap)
  return `${x} ${y} ${moduleSize.width} ${moduleSize.height} re B`
}

/** Returns a page as PDF 1.4. The same arguments yield the same bytes. */
function pdf({ width, height, title, createDate, drawing, texts }: Page): Buffer {
  const content = [
    ...drawing,
    ...texts.map(
      ({ x, y, size, isBold, text }) =>
        `BT /${isBold ? 'Bold' : 'Regular'} ${size} Tf ${x} ${y} Td ${literal(text)} Tj ET`,
    ),
  ].join('\n')
  const font = (name: string) =>
    `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`
  const created =
    createDate === null ? '' : ` /CreationDate (D:${createDate.replace(/[-:T]/g, '').slice(0, 14)}Z)`
  return pdfFile([
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
const winAnsi: Record<string, string> = { '‘': '\x91', '’': '\x92', '“': '\x93', '”': '\x94', '–': '\x96' }

/** Returns a single-byte PDF string; unsupported letters lose their accents or become question marks. */
function literal(text: string): string {
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
