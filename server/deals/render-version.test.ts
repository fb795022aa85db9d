import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  type Deal,
  type DealField,
  type DealRecord,
  type FieldKind,
  dealFields,
  personFields,
} from './deal.ts'
import { flagBits, derivedColumns, derivedTypes, peopleOf, plainColumns, roleBits } from './find/columns.ts'
import { renderDeal, renderVersion, renderedShapes } from './render.ts'

type Fields = Readonly<Record<string, { kind: FieldKind; example: string | number | boolean }>>

/** Returns a deal with a value in each field. */
function sampleOf(fields: Fields): object {
  return Object.fromEntries(
    Object.entries(fields).map(([name, { kind, example }]) => {
      if (kind === 'person') return [name, sampleOf(personFields)]
      return [name, kind === 'int64' ? BigInt(example as number) : example]
    }),
  )
}

const full = sampleOf(dealFields) as Deal
const samples: DealRecord[] = [
  { id: 1n },
  full,
  {
    ...full,
    id: -2n,
    dealname: null,
    amount: -0.5,
    systemSize: ' 12.345 kW',
    lastModified: '0000-01-01T00:00:00.000Z',
    closerName: 'Élodie O’Neill-Ström',
    owner: null,
  },
  {
    id: 3n,
    dealname: '',
    firstName: 'Ängström',
    lastName: '',
    systemSize: 'about 7',
    setterName: ' Ana ',
    hoaEmail: 'Board@X.example',
    zipCode: '85007-1234',
    primaryPhone: '+1 (602) 555-0147',
  },
]

const now = new Date('2026-03-05T18:20:00Z')

/** Returns all that follows from what a deal is: what is rendered of it, and what is kept beside that. */
function shapeOf(): object {
  const kindsOf = (fields: Fields) => Object.entries(fields).map(([name, { kind }]) => [name, kind])
  return {
    deal: kindsOf(dealFields),
    person: kindsOf(personFields),
    plainColumns,
    // Called as when the first hash was taken.
    madeTypes: derivedTypes,
    flagBits,
    roleBits,
    // The rules cannot be compared, but what they make can.
    made: samples.map((deal) => [renderDeal(deal), derivedColumns(deal, now), peopleOf(deal)]),
  }
}

const hashOf = (shape: object) =>
  createHash('sha256').update(JSON.stringify(shape)).digest('hex').slice(0, 16)

test('what is stored of a deal changes with its version: otherwise stored deals keep the form they have', () => {
  const advice =
    'What is stored of a deal has changed: append the new hash to renderedShapes (change none that was released)'
  expect({ version: renderVersion, shape: hashOf(shapeOf()) }, advice).toEqual({
    version: renderedShapes.length,
    shape: renderedShapes.at(-1),
  })
  expect(new Set(renderedShapes).size).toBe(renderedShapes.length)
})

test('the samples have a value in every field', () => {
  expect(Object.keys(full)).toEqual(Object.keys(dealFields))
  for (const field of Object.keys(dealFields) as DealField[]) expect(full[field], field).not.toBe('')
})
