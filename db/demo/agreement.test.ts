import { expect, test } from 'vitest'
import { agreementPdf, demoDeals, demoPartners } from '#db/demo/demo.ts'
import { dealFields, type Deal } from '#server/deals/deal.ts'

const partner = demoPartners[0] as (typeof demoPartners)[number]
const deals = [
  ...demoDeals({ partner, count: 60, firstId: partner.firstId, now: new Date('2026-03-05T00:00:00Z') }),
]
const deal = deals[0] as Deal

function readable(pdf: Buffer): string {
  return [...pdf.toString('latin1').matchAll(/\((.*)\) Tj/g)]
    .map(([, text]) => text)
    .join('\n')
    .replace(/\\(.)/g, '$1')
}

/** A deal of which only the id is known. */
const bare = {
  ...Object.fromEntries(
    Object.entries(dealFields).map(([name, { kind }]) => [name, kind === 'flag' ? false : null]),
  ),
  id: 7n,
} as unknown as Deal

test('the file is a one-page PDF with a valid cross-reference table', () => {
  for (const one of [...deals, bare]) {
    const text = agreementPdf(one).toString('latin1')
    expect(text).toMatch(/^%PDF-1\.4\n/)
    expect(text).toMatch(/%%EOF\n$/)
    expect(text.match(/\/Type \/Page /g)).toHaveLength(1)
    const table = Number(/startxref\n(\d+)\n/.exec(text)?.[1])
    expect(text.slice(table, table + 5)).toBe('xref\n')
    const offsets = [...text.slice(table).matchAll(/^(\d{10}) 00000 n $/gm)].map(([, offset]) =>
      Number(offset),
    )
    expect(offsets).toHaveLength(7)
    offsets.forEach((offset, index) => expect(text.slice(offset, offset + 7)).toBe(`${index + 1} 0 obj`))
    const [, length, stream] = /\/Length (\d+) >>\nstream\n([^]*?)\nendstream/.exec(text) ?? []
    expect(stream).toHaveLength(Number(length))
    const lines = [...(stream as string).matchAll(/ Tf (\d+) (-?[\d.]+) Td/g)]
    expect(lines.every(([, x, y]) => Number(x) >= 60 && Number(y) >= 40 && Number(y) <= 752)).toBe(true)
  }
})

test('contains the parties, the property, the system and the price', () => {
  const text = readable(agreementPdf(deal))
  for (const said of [
    String(deal.id),
    `${deal.firstName} ${deal.lastName}`,
    deal.streetAddress,
    deal.zipCode,
    deal.moduleType,
    `${deal.systemSize} kW`,
    partner.name,
  ]) {
    expect(text).toContain(said)
  }
  expect(text).toContain(
    (deal.amount as number).toLocaleString('en-US', { style: 'currency', currency: 'USD' }),
  )
})

test('names keep their letters and cannot end a string early', () => {
  const text = readable(
    agreementPdf({ ...deal, firstName: 'Ana (Annie) \\', lastName: 'Peña–O’Brien', nameOnUb: 'Dvořák' }),
  )
  expect(text).toContain('Ana (Annie) \\ Peña\x96O\x92Brien')
  expect(text).toContain('Dvorák')
})

test('the same deal gives the same bytes', () => {
  expect(agreementPdf(deal).equals(agreementPdf(structuredClone(deal)))).toBe(true)
})
