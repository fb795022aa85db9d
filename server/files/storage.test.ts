import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { SizeMismatchError, exactly } from './storage.ts'

/**
 * Passes chunks through `exactly` with this expected size. Returns the bytes received, and whether the stream
 * failed.
 */
async function pass(chunks: string[], sizeBytes: number) {
  const arrived: string[] = []
  const source = Readable.from(chunks.map((chunk) => Buffer.from(chunk)))
  try {
    for await (const chunk of exactly(source, sizeBytes)) arrived.push(Buffer.from(chunk).toString())
    return { arrived, failed: false, left: source.destroyed }
  } catch (error) {
    expect(error).toBeInstanceOf(SizeMismatchError)
    return { arrived, failed: true, left: source.destroyed }
  }
}

test.each<[chunks: string[], sizeBytes: number, arrived: string[], failed: boolean]>([
  [['abc', 'de'], 5, ['abc', 'de'], false],
  [[], 0, [], false],
  [['abc', 'def'], 5, ['abc'], true],
  [['abc'], 0, [], true],
  [['abc'], 5, ['abc'], true],
])(
  'passes %j announced as %d bytes, or fails if the size differs',
  async (chunks, sizeBytes, arrived, failed) => {
    expect(await pass(chunks, sizeBytes)).toEqual({ arrived, failed, left: true })
  },
)
