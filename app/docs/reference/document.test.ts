import { expect, test } from 'vitest'
import { fieldsOf, nameOf, schemas, sections, typeOf } from './document.ts'

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

test('every operation and webhook is in one section', () => {
  const names = sections.flatMap(({ calls }) => calls.map(({ operation }) => operation.operationId))
  expect(names).toHaveLength(new Set(names).size)
  expect(names).toEqual(expect.arrayContaining(['listDeals', 'setWebhook', 'dealCreated']))
})

test('lists the fields of an object, including the fields of nested unnamed objects', () => {
  const count = { type: 'integer', description: 'Number of deals.' }
  const step = { type: 'object', properties: { count }, required: ['count'] }
  expect(
    fieldsOf({
      properties: {
        steps: { type: 'array', items: step },
        last: { anyOf: [step, { type: 'null' }] },
        deal: ref('Deal'),
      },
      required: ['steps'],
    }).map(({ path, isRequired }) => [path, isRequired]),
  ).toEqual([
    ['steps', true],
    ['steps[].count', true],
    ['last', false],
    ['last.count', true],
    ['deal', false],
  ])
})

test.each([
  [{ type: 'integer', format: 'int64' }, 'integer (int64)'],
  [{ type: ['string', 'null'], format: 'date-time' }, 'string (date-time) or null'],
  [{ type: 'string', enum: ['a', 'b'] }, '"a" or "b"'],
  [{ type: 'boolean', const: true }, 'true'],
  [{ type: 'array', items: ref('Deal') }, 'list of Deal'],
  [{ anyOf: [ref('Person'), { type: 'null' }] }, 'Person or null'],
])('describes the type %j in words', (schema, words) => expect(typeOf(schema)).toBe(words))

test('documents every object that a field refers to', () => {
  const described = schemas.map(([name]) => name)
  const named = schemas.flatMap(([, schema]) => fieldsOf(schema).map((row) => nameOf(row.schema)))
  expect(described).toEqual(expect.arrayContaining(named.filter((name) => name !== null)))
})
