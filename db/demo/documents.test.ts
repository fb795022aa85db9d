import { crc32, inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { agreementPdf, demoDeals, demoPartners, housePhoto, planSetPdf } from '#db/demo/demo.ts'
import { dealFields, type Deal } from '#server/deals/deal.ts'

const partner = demoPartners[0]!
const deals = [
  ...demoDeals({ partner, count: 60, firstId: partner.firstId, now: new Date('2026-03-05T00:00:00Z') }),
]
const [deal, other] = deals as [Deal, Deal]

/** A deal that has only an id. */
const bare = Object.fromEntries(
  Object.entries(dealFields).map(([name, { kind }]) => [name, kind === 'flag' ? false : null]),
) as unknown as Deal
bare.id = 7n

/** Returns the content of a one-page PDF after checking its cross-reference table. */
function contentOf(pdf: Buffer): string {
  const text = pdf.toString('latin1')
  expect(text).toMatch(/^%PDF-1\.4\n[^]*%%EOF\n$/)
  const table = Number(/startxref\n(\d+)\n/.exec(text)?.[1])
  expect(text.slice(table, table + 5)).toBe('xref\n')
  const offsets = [...text.slice(table).matchAll(/^(\d{10}) 00000 n $/gm)].map(([, offset]) => Number(offset))
  expect(offsets).toHaveLength(7)
  offsets.forEach((offset, index) => expect(text.slice(offset, offset + 7)).toBe(`${index + 1} 0 obj`))
  const [, length, stream] = /\/Length (\d+) >>\nstream\n([^]*?)\nendstream/.exec(text)!
  expect(stream).toHaveLength(Number(length))
  return stream!
}

test('an agreement is a one-page PDF with the parties, the property, the system and the price', () => {
  for (const one of [...deals, bare]) contentOf(agreementPdf(one))
  const content = contentOf(agreementPdf(deal)).replaceAll(/\\(.)/g, '$1')
  const price = deal.amount!.toLocaleString('en-US', { style: 'currency', currency: 'USD' })
  for (const text of [`${deal.firstName} ${deal.lastName}`, deal.streetAddress, deal.moduleType, price])
    expect(content).toContain(text)
  expect(agreementPdf(deal).equals(agreementPdf(structuredClone(deal)))).toBe(true)
})

test('names keep their letters and cannot terminate a PDF string early', () => {
  const content = contentOf(
    agreementPdf({ ...deal, firstName: 'Ana (Annie) \\', lastName: 'Peña–O’Brien', nameOnUb: 'Dvořák' }),
  )
  expect(content).toContain('(Ana \\(Annie\\) \\\\ Peña\x96O\x92Brien) Tj')
  expect(content).toContain('Dvorák')
})

test('a plan set is a one-page PDF that draws each module of the deal', () => {
  expect(contentOf(planSetPdf({ ...deal, numberOfModules: '17' })).match(/ 34 56 re B/g)).toHaveLength(17)
})

test('a photo is a PNG that shows the modules and is the same each time for a deal', () => {
  const photo = housePhoto(deal, true)
  expect(photo.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n')
  const chunks = new Map<string, Buffer>()
  for (let at = 8; at < photo.length;) {
    const length = photo.readUInt32BE(at)
    const body = photo.subarray(at + 4, at + 8 + length)
    expect(photo.readUInt32BE(at + 8 + length)).toBe(crc32(body))
    chunks.set(body.toString('latin1', 0, 4), body.subarray(4))
    at += 12 + length
  }
  const [width, height] = [chunks.get('IHDR')!.readUInt32BE(0), chunks.get('IHDR')!.readUInt32BE(4)]
  expect(inflateSync(chunks.get('IDAT')!)).toHaveLength((width * 3 + 1) * height)
  expect(photo.equals(housePhoto(structuredClone(deal), true))).toBe(true)
  expect(photo.equals(housePhoto(deal, false))).toBe(false)
  expect(photo.equals(housePhoto(other, true))).toBe(false)
})
