import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ndjsonSource } from './ndjson-source.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ndjson-'))
})
afterAll(() => rm(directory, { recursive: true }))

interface Item {
  line: number
  id: bigint | null
  text: string | null
  value?: unknown
  reason?: string
}

/** Returns everything in a file with this content. */
async function read(content: string | Buffer): Promise<Item[]> {
  const path = join(directory, crypto.randomUUID())
  await writeFile(path, content)
  const source = ndjsonSource(path)
  const items: Item[] = []
  for await (const { line, raw } of source.items()) {
    const read = source.valueOf(raw)
    const rest =
      'value' in read
        ? { value: read.value }
        : { reason: read.faults.map(({ field, reason }) => `${field} ${reason}`).join() }
    items.push({ line, id: source.idOf(raw), text: source.bytesOf(raw)?.toString() ?? null, ...rest })
  }
  return items
}

const record = (id: number, more = '') => `{"id":${id}${more}}`
const item = (line: number, id: number) => ({ line, id: BigInt(id), text: record(id), value: { id } })

describe('the lines of a file', () => {
  test.each([
    ['each ended', `${record(1)}\n${record(2)}\n`],
    ['the last not ended', `${record(1)}\n${record(2)}`],
    ['ended as on Windows', `${record(1)}\r\n${record(2)}\r\n`],
    ['after a byte order mark', `\uFEFF${record(1)}\n${record(2)}\n`],
  ])('are records: %s', async (_what, content) =>
    expect(await read(content)).toEqual([item(1, 1), item(2, 2)]),
  )

  test('are skipped if blank, and still counted', async () => {
    expect(await read(`\n${record(1)}\n\n  \t \r\n\r\n${record(2)}\n\n`)).toEqual([item(2, 1), item(6, 2)])
    expect(await read(`\uFEFF\n${record(1)}\n`)).toEqual([item(2, 1)])
  })

  test.each([
    ['nothing', ''],
    ['a line end', '\n'],
    ['blank lines', '\r\n \n\t\n'],
    ['a byte order mark', '\uFEFF'],
  ])('are skipped in a file of %s', async (_what, content) => {
    expect(await read(content)).toEqual([])
  })

  test("are complete wherever the file's chunks are split", async () => {
    // The file is read in chunks of 256 KiB: 100-byte lines with an ä hit every kind of boundary.
    for (const lead of [0, 1, 2, 3, 50, 98, 99]) {
      const lines = Array.from({ length: 8000 }, (_, index) =>
        record(index, `,"notes":"${'ä'.repeat(30)}${String(index).padStart(7, '0')}"`).padEnd(70, ' '),
      )
      const items = await read(`${' '.repeat(lead)}${lines.join('\n')}`)
      expect(items).toHaveLength(8000)
      expect(
        items.every(
          ({ line, value }, index) =>
            line === index + 1 &&
            (value as { id: number; notes: string }).id === index &&
            (value as { notes: string }).notes === 'ä'.repeat(30) + String(index).padStart(7, '0'),
        ),
      ).toBe(true)
    }
  })
})

describe('a line that is too long', () => {
  const tooLong = { id: null, text: null, reason: 'null is longer than 262144 bytes' }
  const long = (bytes: number) => record(1, `,"notes":"${'x'.repeat(bytes - 19)}"`)

  test('is rejected, and the next one is read', async () => {
    expect(await read(`${record(1)}\n${long(300_000)}\n${record(2)}\n`)).toEqual([
      item(1, 1),
      { line: 2, ...tooLong },
      item(3, 2),
    ])
    expect(await read(`${long(2_000_000)}\r\n${record(2)}`)).toEqual([{ line: 1, ...tooLong }, item(2, 2)])
    expect(await read(`${record(1)}\n${long(300_000)}`)).toEqual([item(1, 1), { line: 2, ...tooLong }])
  })

  test('has 262,145 bytes or more', async () => {
    expect(long(262_144)).toHaveLength(262_144)
    expect(
      (await read(`${long(262_144)}\n${long(262_145)}\n`)).map(({ id, reason }) => [id, reason]),
    ).toEqual([
      [1n, undefined],
      [null, tooLong.reason],
    ])
  })

  test('may repeat', async () => {
    const items = await read(`${long(262_145)}\n${record(1)}\n`.repeat(12))
    expect(items.map(({ reason }) => reason ?? 'read')).toEqual(
      Array.from({ length: 24 }, (_, index) => (index % 2 === 0 ? tooLong.reason : 'read')),
    )
  })
})

describe('a line that is not a record', () => {
  test.each([
    ['half of one', '{"id":1', 'is not JSON'],
    ['text', 'hello', 'is not JSON'],
    ['two in one line', `${record(1)}${record(2)}`, 'is not JSON'],
    ['a comma after', `${record(1)},`, 'is not JSON'],
    ['brackets without end', '['.repeat(100_000), 'is not JSON'],
  ])('is reported: %s', async (_what, content, reason) => {
    expect((await read(`${content}\n${record(2)}`)).map((one) => one.reason ?? one.id)).toEqual([
      `null ${reason}`,
      2n,
    ])
  })

  test('is rejected if it is not UTF-8', async () => {
    const latin1 = Buffer.from(record(1, ',"city":"M\xFCnchen"'), 'latin1')
    const overlong = Buffer.concat([
      Buffer.from('{"id":1,"city":"'),
      Buffer.from([0xc0, 0xaf]),
      Buffer.from('"}'),
    ])
    const halfSurrogate = Buffer.concat([
      Buffer.from('{"id":1,"city":"'),
      Buffer.from([0xed, 0xa0, 0x80]),
      Buffer.from('"}'),
    ])
    for (const bytes of [latin1, overlong, halfSurrogate]) {
      const [bad, good] = await read(Buffer.concat([bytes, Buffer.from(`\n${record(2)}`)]))
      expect(bad).toMatchObject({ line: 1, reason: 'null is not UTF-8' })
      expect(good).toEqual(item(2, 2))
    }
  })

  test.each(['[1]', '5', '"x"', 'null', 'true', '[{"id":1}]'])(
    'may be the JSON value %s, which has no id',
    async (content) => {
      expect(await read(content)).toEqual([{ line: 1, id: null, text: content, value: JSON.parse(content) }])
    },
  )
})

describe('the id', () => {
  test.each([
    ['first', '{"id":5,"stage":"x"}', 5n],
    ['with spaces around', ' { "id" : 5 , "stage":"x"}', 5n],
    ['last', '{"stage":"x","id":5}', 5n],
    ['negative', '{"id":-5}', -5n],
    ['the largest', '{"id":9223372036854775807}', 9_223_372_036_854_775_807n],
    ['the smallest, last', '{"stage":"x","id":-9223372036854775808}', -9_223_372_036_854_775_808n],
    ['beyond 2^53', '{"stage":"x","id":9007199254740993}', 9_007_199_254_740_993n],
    ['written with an exponent', '{"id":1e3}', 1000n],
    ['minus nought', '{"id":-0}', 0n],
    ['behind a deep one', '{"owner":{"id":7},"id":5}', 5n],
  ])('is read at any position: %s', async (_what, content, id) =>
    expect((await read(content))[0]!.id).toBe(id),
  )

  test.each([
    ['too large', '{"id":9223372036854775808}'],
    ['too large and last', '{"stage":"x","id":9223372036854775808}'],
    ['too small', '{"stage":"x","id":-9223372036854775809}'],
    ['far too large', '{"stage":"x","id":99999999999999999999999999}'],
    ['text', '{"id":"5"}'],
    ['a fraction', '{"id":5.5}'],
    ['null', '{"id":null}'],
    ['missing', '{"stage":"x"}'],
    ["only a person's", '{"owner":{"id":7}}'],
  ])('is missing when it is %s', async (_what, content) => expect((await read(content))[0]!.id).toBeNull())
})
