import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test, describe } from 'vitest'
import { olderJson } from '#e2e/older-deals.ts'
import { dealKeys, flags, personKeys } from '#e2e/rest/interface.ts'
import { readRecord } from '../records/record.ts'
import { classifyStage } from '../stages/stage.ts'
import { int64Max, int64Min } from '../values/int64.ts'
import { toCents } from '../values/units.ts'
import { flagBits, deriveColumns, derivedTypes, peopleOf, plainColumns, roleBits } from './columns.ts'
import {
  type Deal,
  type DealField,
  type DealRecord,
  type FieldKind,
  dealFields,
  personFields,
  type Person,
} from './deal.ts'
import { renderDeal, renderedShape, parseDeal, rerender } from './render.ts'

const text = fc.string({ unit: 'binary' }).filter((value) => value.isWellFormed() && !value.includes('\0'))
const finite = fc.double({ noNaN: true, noDefaultInfinity: true })
const valueOf: Record<Exclude<FieldKind, 'person'>, fc.Arbitrary<unknown>> = {
  int64: fc.bigInt({ min: int64Min, max: int64Max }),
  text: fc.option(text),
  double: fc.option(finite),
  money: fc.option(finite.map(toCents)),
  flag: fc.boolean(),
  time: fc.option(
    fc
      .date({
        min: new Date('0000-01-01T00:00:00Z'),
        max: new Date('9999-12-31T23:59:59.999Z'),
        noInvalidDate: true,
      })
      .map((date) => date.toISOString()),
  ),
}
const anyPerson = fc.record({
  ...Object.fromEntries(Object.entries(personFields).map(([name, { kind }]) => [name, valueOf[kind]])),
  userId: fc.option(valueOf.int64),
}) as fc.Arbitrary<Person>
const anyDeal = fc.record(
  Object.fromEntries(
    Object.entries(dealFields).map(([name, { kind }]) => [
      name,
      kind === 'person' ? fc.option(anyPerson) : valueOf[kind],
    ]),
  ),
) as unknown as fc.Arbitrary<Deal>
const seed = 20_260_301

describe('a rendered deal', () => {
  test('has the keys of the interface in order, even without values', () => {
    expect(Object.keys(JSON.parse(renderDeal({ id: 1n })) as object)).toEqual(dealKeys)
    fc.assert(
      fc.property(anyDeal, (deal) => {
        expect(Object.keys(JSON.parse(renderDeal(deal)) as object)).toEqual(dealKeys)
      }),
      { seed, numRuns: 50 },
    )
  })

  test('does not depend on the order of its input', () => {
    const record = Object.fromEntries(dealKeys.toReversed().map((key) => [key, key === 'id' ? 5n : null]))
    expect(renderDeal(record as unknown as Deal)).toBe(renderDeal({ id: 5n }))
  })

  test('has null for unknown values, and false for an unknown flag', () => {
    const deal = JSON.parse(renderDeal({ id: 1n })) as Record<string, unknown>
    for (const key of dealKeys.slice(1)) expect(deal[key], key).toBe(flags.includes(key) ? false : null)
    expect(renderDeal({ id: 1n, hasHoa: null, owner: null })).toBe(renderDeal({ id: 1n }))
  })

  test('has the nine keys of a person in the order of the interface', () => {
    const { owner } = JSON.parse(renderDeal({ id: 1n, owner: { updatedAt: null, id: 7n } as Person })) as {
      owner: object
    }
    expect(Object.keys(owner)).toEqual(personKeys)
    expect(owner).toEqual({ ...Object.fromEntries(personKeys.map((key) => [key, null])), id: 7 })
  })

  test('contains only documented fields: no partner and no unknown field', () => {
    expect(renderDeal({ id: 1n, partner: 'sunline', color: 'red' } as DealRecord)).toBe(
      renderDeal({ id: 1n }),
    )
  })

  test('rounds amounts to cents, even if an older version stored more digits', () => {
    const older = '{"id":1,"amount":25199.999999999996,"adderCost":3520.125,"totalPpw":3.4954}'
    expect(JSON.parse(rerender(older))).toMatchObject({
      amount: 25_200,
      adderCost: 3520.13,
      totalPpw: 3.4954,
    })
  })

  test('writes doubles as JSON numbers', () => {
    for (const [amount, written] of [
      [1e21, '1e+21'],
      [5e-324, '5e-324'],
      [1e-7, '1e-7'],
      [-0, '0'],
      [2 ** 60, '1152921504606847000'],
      [30_800, '30800'],
      [0.1 + 0.2, '0.30000000000000004'],
    ] as const) {
      const json = renderDeal({ id: 1n, amount, totalPpw: amount })
      expect(json).toContain(`"amount":${written},`)
      expect(parseDeal(json).totalPpw).toBe(amount === 0 ? 0 : amount)
    }
  })
})

describe('parseDeal', () => {
  test('returns exactly the deal that was rendered', () => {
    fc.assert(
      fc.property(anyDeal, (deal) => {
        const expected = Object.fromEntries(
          Object.entries(deal).map(([key, value]) => [key, value === 0 ? 0 : value]),
        )
        expect(parseDeal(renderDeal(deal))).toEqual(expected)
      }),
      { seed, numRuns: 200 },
    )
  })

  test('the REST output is a valid import record with the same content', () => {
    fc.assert(
      fc.property(anyDeal, (deal) => {
        // Returns the deal as an import would store it.
        const stored = readRecord(parseDeal(renderDeal(deal)))
        if (!('record' in stored)) return
        const json = renderDeal(stored.record)
        const again = readRecord(parseDeal(json))
        expect('record' in again && [renderDeal(again.record), again.unreadable]).toEqual([json, []])
      }),
      { seed, numRuns: 200 },
    )
  })

  test('completes the text of an older version: missing values are null, missing flags false', () => {
    fc.assert(
      fc.property(anyDeal, fc.subarray(dealKeys.slice(1) as DealField[]), (deal, without) => {
        const older = olderJson(renderDeal(deal), without)
        expect(renderDeal(parseDeal(older))).toBe(
          renderDeal({ ...deal, ...Object.fromEntries(without.map((field) => [field, null])) } as DealRecord),
        )
        expect(parseDeal(older)).toEqual(parseDeal(renderDeal(parseDeal(older))))
        expect(rerender(`${older},${renderDeal(deal)}`)).toBe(
          `${renderDeal(parseDeal(older))},${renderDeal(deal)}`,
        )
      }),
      { seed, numRuns: 50 },
    )
    expect(rerender('')).toBe('')
    expect(rerender('{"id":1,"owner":{"id":2}}')).toBe(renderDeal({ id: 1n, owner: { id: 2n } as Person }))
  })
})

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
