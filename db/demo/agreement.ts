import { installer } from '#db/demo/staff.ts'
import type { Deal } from '#server/deals/deal.ts'

/**
 * A line of the page: how far below the one before it in points, font, size, and pieces of text at their
 * distance from the left edge.
 */
interface Line {
  down: number
  size: number
  bold: boolean
  pieces: readonly (readonly [left: number, text: string])[]
}

const left = 60
const values = 190
const width = 612
const height = 792

const heading = (text: string): Line => ({ down: 30, size: 11.5, bold: true, pieces: [[left, text]] })
const paragraph = (text: string): Line[] =>
  wrap(text, 110).map((line, index) => ({
    down: index === 0 ? 16 : 12,
    size: 9.5,
    bold: false,
    pieces: [[left, line]],
  }))
const fact = (name: string, value: string | null): Line[] =>
  wrap(value || '–', 82).map((line, index) => {
    const first = index === 0
    return {
      down: first ? 15 : 12,
      size: 9.5,
      bold: false,
      pieces: first
        ? [
            [left, name],
            [values, line],
          ]
        : [[values, line]],
    }
  })

/**
 * Returns the home improvement contract of a deal: one page of US Letter as PDF 1.4, in the fonts that every
 * viewer has; the same deal gives the same bytes.
 */
export function agreementPdf(deal: Deal): Buffer {
  return pdf(page(deal), `Home Improvement Contract ${deal.id}`, deal.createDate)
}

function page(deal: Deal): Line[] {
  const homeowner = [deal.firstName, deal.lastName].filter(Boolean).join(' ')
  const place = [deal.city, [deal.state, deal.zipCode].filter(Boolean).join(' ')].filter(Boolean).join(', ')
  const agreed = longDate(deal.reSignDate ?? deal.createDate)
  return [
    { down: 64, size: 18, bold: true, pieces: [[left, 'Home Improvement Contract']] },
    {
      down: 18,
      size: 9.5,
      bold: false,
      pieces: [
        [left, `Contract no. ${deal.id}`],
        [values + 130, `Date of contract: ${agreed}`],
      ],
    },
    heading('Parties'),
    ...fact('Contractor', installer.name),
    ...fact('Sold by', deal.dealer),
    ...fact('Sales representative', deal.closerName),
    ...fact('Homeowner', homeowner),
    ...fact('Property', [deal.streetAddress, place].filter(Boolean).join(', ')),
    ...fact('Telephone', deal.primaryPhone),
    ...fact(
      'Utility',
      [deal.utilityName, deal.nameOnUb && `account of ${deal.nameOnUb}`].filter(Boolean).join(', '),
    ),
    heading('Work to be done'),
    ...fact('System size', deal.systemSize && `${deal.systemSize} kW DC`),
    ...fact('Modules', equipment(deal.numberOfModules, deal.moduleType)),
    ...fact('Inverters', equipment(deal.numberOfInverters, deal.inverterType)),
    ...fact('Battery', deal.hasBattery ? equipment(deal.numberOfBatteries, deal.battery) : 'None'),
    ...fact('Roof', deal.roofType),
    ...fact('Included adders', deal.adders ?? 'None'),
    heading('Price and payment'),
    ...fact('Contract price', dollars(deal.amount)),
    ...fact('Price per watt', perWatt(deal)),
    ...payment(deal),
    heading('Terms'),
    ...paragraph(
      `${installer.name} designs the system, applies for permits and interconnection, ` +
        'installs the system and asks for inspection. Work begins after notice to ' +
        'proceed. Changes to the work or the price need a change order signed by both parties.',
    ),
    ...paragraph(
      'You, the buyer, may cancel this transaction at any time prior to midnight of the third business day ' +
        'after the date of this transaction. ' +
        'See the attached notice of cancellation form for an explanation of this right.',
    ),
    heading('Signatures'),
    ...fact('Homeowner', `${homeowner || '–'}, signed electronically ${agreed}`),
    ...fact('For the contractor', `${deal.closerName ?? installer.name}, signed electronically ${agreed}`),
    {
      down: 40,
      size: 8,
      bold: false,
      pieces: [[left, 'Demonstration data: neither the parties nor the contract are real.']],
    },
  ]
}

function equipment(count: string | null, type: string | null): string | null {
  return type && [count, type].filter(Boolean).join(' x ')
}

function perWatt({ totalPpw, basePpw, adderPpw }: Deal): string | null {
  return totalPpw === null
    ? null
    : `$${totalPpw.toFixed(2)} (base $${basePpw?.toFixed(2) ?? '–'}, adders $${adderPpw ?? '–'})`
}

function payment({ amount, lender, loanAmount }: Deal): Line[] {
  if (!lender)
    return fact('Payment', 'Cash: 10 % or $1,000 on signing, whichever is less; balance in progress payments')
  const loan = Number(loanAmount)
  const down = amount === null ? 0 : Math.round((amount - loan) * 100) / 100
  return [
    ...fact('Payment', `Loan of ${dollars(loan)} from ${lender}`),
    ...(down > 0 ? fact('Down payment', dollars(down)) : []),
  ]
}

function dollars(amount: number | null): string | null {
  return amount === null ? null : amount.toLocaleString('en-US', { style: 'currency', currency: 'USD' })
}

function longDate(time: string | null): string {
  return time === null
    ? '–'
    : new Date(time).toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' })
}

function wrap(text: string, columns: number): string[] {
  const lines: string[] = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) as string
    if (line === '') lines[lines.length - 1] = word
    else if (line.length + word.length < columns) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines
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

/**
 * Returns a PDF string of one byte a character; letters the encoding lacks lose their marks, and what is then
 * left of them becomes a question mark.
 */
function literal(text: string): string {
  const bytes = [...text.normalize('NFC')].map((character) => {
    if (/[\x20-\x7e\xa0-\xff]/.test(character)) return character
    return winAnsi[character] ?? /^[\x20-\x7e]/.exec(character.normalize('NFD'))?.[0] ?? '?'
  })
  return `(${bytes.join('').replace(/[\\()]/g, '\\$&')})`
}

function pdf(lines: readonly Line[], title: string, createDate: string | null): Buffer {
  let y = height
  const text = lines.flatMap(({ down, size, bold, pieces }) => {
    y -= down
    return pieces.map(
      ([x, words]) => `BT /${bold ? 'Bold' : 'Regular'} ${size} Tf ${x} ${y} Td ${literal(words)} Tj ET`,
    )
  })
  const content = [`0.85 0.55 0.1 rg ${left} ${height - 40} ${width - 2 * left} 3 re f 0 g`, ...text].join(
    '\n',
  )
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

/**
 * Objects numbered from 1, the first the catalogue and the last the information, with their cross-reference
 * table (ISO 32000-1, 7.5).
 */
function file(objects: readonly string[]): Buffer {
  // The four bytes above 127 say that the file is binary.
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
