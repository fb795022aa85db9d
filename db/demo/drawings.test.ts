import { crc32, inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { demoDeals, demoPartners, housePhoto, planSetPdf } from '#db/demo/demo.ts'

const partner = demoPartners[0]!
const [deal, other] = [
  ...demoDeals({ partner, count: 60, firstId: partner.firstId, now: new Date('2026-03-05T00:00:00Z') }),
]

/** Returns the chunks of a PNG after verifying their checksums. */
function chunksOf(image: Buffer): Map<string, Buffer> {
  const chunks = new Map<string, Buffer>()
  expect(image.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n')
  for (let at = 8; at < image.length;) {
    const length = image.readUInt32BE(at)
    const body = image.subarray(at + 4, at + 8 + length)
    expect(image.readUInt32BE(at + 8 + length)).toBe(crc32(body))
    chunks.set(body.toString('latin1', 0, 4), body.subarray(4))
    at += 12 + length
  }
  return chunks
}

test('a photo is a PNG of the given size, the same for the same deal, and shows the modules', () => {
  const photo = housePhoto(deal!, true)
  const chunks = chunksOf(photo)
  expect([...chunks.keys()]).toEqual(['IHDR', 'IDAT', 'IEND'])
  const [width, height] = [chunks.get('IHDR')!.readUInt32BE(0), chunks.get('IHDR')!.readUInt32BE(4)]
  expect(inflateSync(chunks.get('IDAT')!)).toHaveLength((width * 3 + 1) * height)
  expect(photo.length).toBeLessThan(120_000)
  expect(photo.equals(housePhoto(structuredClone(deal!), true))).toBe(true)
  expect(photo.equals(housePhoto(deal!, false))).toBe(false)
  expect(photo.equals(housePhoto(other!, true))).toBe(false)
})

test("a plan set is a PDF of one page with a module for each of the deal's", () => {
  const plan = planSetPdf({ ...deal!, numberOfModules: '17' }).toString('latin1')
  expect(plan).toMatch(/^%PDF-1\.4\n/)
  const table = Number(/startxref\n(\d+)\n/.exec(plan)?.[1])
  expect(plan.slice(table, table + 5)).toBe('xref\n')
  const [, length, stream] = /\/Length (\d+) >>\nstream\n([^]*?)\nendstream/.exec(plan) ?? []
  expect(stream).toHaveLength(Number(length))
  expect(stream!.match(/ 34 56 re B/g)).toHaveLength(17)
  expect(stream).toContain(`(${deal!.id})`)
})
