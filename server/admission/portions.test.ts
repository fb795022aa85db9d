import { expect, test } from 'vitest'
import { portionsOf } from './portions.ts'

const sizesOf = async (texts: string[]) => {
  const portions: string[][] = []
  for await (const portion of portionsOf(texts)) portions.push(portion)
  expect(portions.flat()).toEqual(texts)
  return portions.map(({ length }) => length)
}

test('typical deals form one portion, and large deals several', async () => {
  expect(await sizesOf([])).toEqual([])
  expect(await sizesOf(Array.from({ length: 250 }, () => 'x'.repeat(4000)))).toEqual([250])
  expect(await sizesOf(Array.from({ length: 5 }, () => 'x'.repeat(600_000)))).toEqual([2, 2, 1])
  expect(await sizesOf(['x', 'x'.repeat(3_000_000), 'y'])).toEqual([2, 1])
})

test('other work runs between two portions', async () => {
  const seen: string[] = []
  setImmediate(() => seen.push('another request'))
  for await (const [text] of portionsOf(['a'.repeat(2_000_000), 'b'.repeat(2_000_000)])) seen.push(text![0]!)
  expect(seen).toEqual(['a', 'another request', 'b'])
})
