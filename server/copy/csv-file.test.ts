import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { csvLine, linesOf, merge, parseLine, writeParts } from './csv-file.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'partner-deals-csv-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const cell = fc.option(
  fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r', ' ', "'", '=', 'é', '漢', 'a') }),
)

test('preserves all cell contents, and distinguishes empty texts from unknown values', () => {
  fc.assert(
    fc.property(fc.array(cell, { minLength: 2, maxLength: 5 }), (cells) => {
      const line = csvLine(cells)
      expect(parseLine(Buffer.from(line))).toEqual(cells)
      const [read] = parse(line, { recordDelimiter: '\r\n' }) as string[][]
      expect(read).toEqual(cells.map((value) => value ?? ''))
    }),
  )
})

test('merges rows by id like a map', () => {
  const id = fc.integer({ min: -20, max: 40 }).map(BigInt)
  const rows = fc.uniqueArray(fc.record({ id, text: cell }), { selector: ({ id }) => id, maxLength: 12 })
  const path = join(folder, 'merged.csv')
  const sorted = <T extends { id: bigint }>(items: T[]) => items.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const lines = (items: { id: bigint; text: string | null }[]) =>
    sorted(items).map(({ id, text }) => csvLine([String(id), text, '']))
  fc.assert(
    fc.property(rows, rows, fc.uniqueArray(id), (before, changes, gone) => {
      const removed = new Set(gone.filter((id) => !changes.some((change) => change.id === id)))
      writeFileSync(path, `id,text,end\r\n${lines(before).join('')}`)
      const replacements = sorted(changes).map(({ id, text }) => ({ id, rows: [[String(id), text, '']] }))
      writeParts(`${path}.new`, merge(linesOf(path), 'id,text,end\r\n', replacements, [...removed]))
      const after = new Map(before.map((row) => [row.id, row]))
      for (const row of changes) after.set(row.id, row)
      for (const id of removed) after.delete(id)
      expect(readFileSync(`${path}.new`, 'utf8')).toBe(
        `id,text,end\r\n${lines([...after.values()]).join('')}`,
      )
    }),
  )
})

test('finds lines across chunks of a file', () => {
  const path = join(folder, 'long.csv')
  const long = Array.from({ length: 5 }, (_, index) => csvLine([String(index), `${'x"\n'.repeat(120_000)}`]))
  writeFileSync(path, `id,text\r\n${long.join('')}`)
  expect([...linesOf(path)].map(String)).toEqual(long)
})
