import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')

/** Returns the cells of all table rows in a document. */
const rowsOf = (document: string) =>
  readFileSync(join(root, document), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|').map((cell) => cell.trim()))

/** Names of the README's figures, in order. */
const names = ['listVsFastify', 'lastPageVsFirst', 'deliveriesPerS', 'searchP95Ms', 'idleRssMb']

test('the README quotes five figures exactly as measured', () => {
  const rows = rowsOf('README.md')
  const stated = rows.slice(rows.findIndex(([, first]) => first === 'figure') + 1).map(([, , value]) => value)
  // Only the first table of each figure counts. Later tables are about other numbers of deals.
  const measured = new Map(
    rowsOf('app/docs/develop/figures.md')
      .toReversed()
      .map(([, name, value]) => [name, value]),
  )
  expect(stated.map((value) => value!.replace(/ (?:ms|MB)$/, ''))).toEqual(
    names.map((name) => measured.get(`\`${name}\``)),
  )
})
