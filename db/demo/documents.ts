import { installer } from '#db/demo/people.ts'
import type { Deal } from '#server/deals/deal.ts'

/** A page of US Letter: a title, named facts below it, and a text or a drawing at its bottom. */
interface Page {
  title: string
  deal: Deal
  createDate: string | null
  facts: readonly (readonly [name: string, value: string | null])[]
  lines: readonly string[]
  drawing?: readonly string[]
}

const left = 60

/** Returns a deal's home improvement contract; the same deal yields the same bytes. */
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
  const { createDate } = deal
  return pdf({ title: 'Home Improvement Contract', deal, createDate, facts, lines: terms })
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

const module = { width: 34, height: 56, gap: 4 }
const perRow = 12
const modulesMax = 6 * perRow

/** Returns the roof plan of a deal, with its number of modules; the same deal yields the same bytes. */
export function planSetPdf(deal: Deal): Buffer {
  const count = Math.min(Number(deal.numberOfModules) || perRow, modulesMax)
  const modules = Array.from({ length: count }, (_, index) => {
    const x = 80 + (index % perRow) * (module.width + module.gap)
    const y = 450 - Math.floor(index / perRow) * (module.height + module.gap)
    return `${x} ${y} ${module.width} ${module.height} re B`
  })
  return pdf({
    title: 'PV-1 Roof plan',
    deal,
    createDate: deal.engineeringCompleted ?? deal.createDate,
    facts: [
      ['Project', String(deal.id)],
      ['Homeowner', joined(' ', deal.firstName, deal.lastName)],
      ['Property', address(deal)],
      ['System', deal.systemSize && `${deal.systemSize} kW DC`],
      ['Modules', joined(' x ', String(count), deal.moduleType)],
      ['Inverter', deal.inverterType],
      ['Utility', deal.utilityName],
    ],
    lines: [],
    drawing: [
      '1 w 0.2 0.2 0.2 RG 0.96 0.96 0.94 rg 60 130 492 396 re B',
      '0.13 0.2 0.36 rg 0.8 0.85 0.95 RG',
      ...modules,
    ],
  })
}

/** Returns a page as PDF 1.4, in standard fonts. */
function pdf({ title, deal: { id }, createDate, facts, lines, drawing = [] }: Page): Buffer {
  const show = (x: number, y: number, size: number, text: string, font = 'Regular') =>
    `BT /${font} ${size} Tf ${x} ${y} Td ${literal(text)} Tj ET`
  const content = [
    '0.85 0.55 0.1 rg 60 752 492 3 re f',
    ...drawing,
    '0 g',
    show(left, 720, 18, title, 'Bold'),
    ...facts.flatMap(([name, value], index) => [
      show(left, 690 - index * 22, 9.5, name, 'Bold'),
      show(190, 690 - index * 22, 9.5, value || '–'),
    ]),
    ...lines.map((text, index) => show(left, 290 - index * 13, 9, text)),
    show(left, 60, 8, 'Demonstration data: neither the people nor the project are real.'),
  ].join('\n')
  const font = (name: string) =>
    `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`
  const created =
    createDate === null ? '' : ` /CreationDate (D:${createDate.replace(/[-:T]/g, '').slice(0, 14)}Z)`
  return pdfFile([
    '<< /Type /Catalog /Pages 2 0 R /Lang (en-US) /ViewerPreferences << /DisplayDocTitle true >> >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /Regular 5 0 R /Bold 6 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    font('Helvetica'),
    font('Helvetica-Bold'),
    `<< /Title ${literal(`${title} ${id}`)} /Author ${literal(installer.name)}${created} >>`,
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
