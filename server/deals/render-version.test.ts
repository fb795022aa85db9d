import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { classifyStage } from '../stages/stage.ts'
import { flagBits, deriveColumns, derivedTypes, peopleOf, plainColumns, roleBits } from './columns.ts'
import {
  type Deal,
  type DealField,
  type DealRecord,
  type FieldKind,
  dealFields,
  personFields,
} from './deal.ts'
import { renderDeal, renderedShape } from './render.ts'

type Fields = Readonly<Record<string, { kind: FieldKind; example: string | number | boolean }>>

/** Returns a deal in which every field has a value. */
function sampleOf(fields: Fields): object {
  return Object.fromEntries(
    Object.entries(fields).map(([name, { kind, example }]) => {
      if (kind === 'person') return [name, sampleOf(personFields)]
      return [name, kind === 'int64' ? BigInt(example as number) : example]
    }),
  )
}

// Fixed, because the result changes when dates pass.
const sampleMs = Date.parse('2026-12-01')
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
    nameOnUb: 'Łuk-Sørensen',
    state: ' Ariz. ',
    lastName: '',
    systemSize: 'about 7',
    setterName: ' Ana ',
    hoaEmail: 'Board@X.example',
    zipCode: '85007-1234',
    primaryPhone: '+1 (602) 555-0147 x12',
  },
]

/** Returns everything that is derived from a deal: its JSON and its stored columns. */
function shapeOf(): object {
  const kindsOf = (fields: Fields) => Object.entries(fields).map(([name, { kind }]) => [name, kind])
  return {
    deal: kindsOf(dealFields),
    person: kindsOf(personFields),
    plainColumns,
    // These keys are part of the hash, so they keep the names they had when the first hash was computed.
    madeTypes: derivedTypes,
    flagBits,
    roleBits,
    // Includes the results of all derivation rules.
    made: samples.map((deal) => [
      renderDeal(deal),
      deriveColumns(deal, classifyStage(deal.stage ?? ''), sampleMs),
      peopleOf(deal),
    ]),
  }
}

const hashOf = (shape: object) =>
  createHash('sha256').update(JSON.stringify(shape)).digest('hex').slice(0, 16)

test('a change to the stored format requires a new render version', () => {
  const advice =
    'What is stored of a deal has changed: add 1 to renderVersion, and set renderedShape to the new hash'
  expect(hashOf(shapeOf()), advice).toBe(renderedShape)
})

test('the samples have a value in every field', () => {
  expect(Object.keys(full)).toEqual(Object.keys(dealFields))
  for (const field of Object.keys(dealFields) as DealField[]) expect(full[field], field).not.toBe('')
})
