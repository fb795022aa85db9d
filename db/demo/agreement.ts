import { literal, onePage } from '#db/demo/pdf.ts'
import { installer } from '#db/demo/staff.ts'
import type { Deal } from '#server/deals/deal.ts'

/**
 * A line of the page: its distance below the previous one in points, font, size, and pieces of text at their
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
 * Returns a deal's home improvement contract: one page of US Letter as PDF 1.4, in standard fonts; the same
 * deal yields the same bytes.
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
  return onePage(content, { width, height, title, createDate })
}
