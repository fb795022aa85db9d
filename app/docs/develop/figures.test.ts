import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')

/** Returns the cells of the rows of a document's tables. */
const rowsOf = (document: string) =>
  readFileSync(join(root, document), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|').map((cell) => cell.trim()))

/** The figures of the README, in its order. */
const names = ['listVsFastify', 'lastPageVsFirst', 'deliveriesPerS', 'searchP95Ms', 'idleRssMb']

test('the README states five figures as they were measured', () => {
  const rows = rowsOf('README.md')
  const stated = rows.slice(rows.findIndex(([, first]) => first === 'figure') + 1).map(([, , value]) => value)
  // The first table counts; later ones have other amounts of deals.
  const measured = new Map(
    rowsOf('app/docs/develop/figures.md')
      .toReversed()
      .map(([, name, value]) => [name, value]),
  )
  expect(stated.map((value) => value!.replace(/ (?:ms|MB)$/, ''))).toEqual(
    names.map((name) => measured.get(`\`${name}\``)),
  )
})
