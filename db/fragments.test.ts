import { expect, test } from 'vitest'
import { openTestDatabase } from '#e2e/open-database.ts'
import { allOf, anyOf, bitsOf, inRow, listed } from './fragments.ts'

const database = await openTestDatabase()

test('joins conditions: no restriction is true, no alternative is false', async () => {
  const { $client: sql } = database.db
  const is = (truth: boolean) => sql`${truth}::boolean`
  const rows = await sql`select
    ${allOf(sql, [])} as all_of_none, ${allOf(sql, [is(true), is(true)])} as all_true, ${allOf(sql, [is(true), is(false)])} as all_mixed,
    ${anyOf(sql, [])} as any_of_none, ${anyOf(sql, [is(false), is(true)])} as any_mixed, ${anyOf(sql, [is(false)])} as any_false`
  expect(rows).toEqual([
    {
      all_of_none: true,
      all_true: true,
      all_mixed: false,
      any_of_none: false,
      any_mixed: true,
      any_false: false,
    },
  ])
})

test('joins parts as a list, a row or bits, in order', async () => {
  const { $client: sql } = database.db
  const numbers = [1, 4, 8].map((number) => sql`${number}::integer`)
  const cases = ['a', 'b'].map((letter) => sql`when ${letter} then ${letter + letter}::text`)
  expect(
    await sql`select array[${listed(sql, numbers)}] as list, ${bitsOf(sql, numbers)} as bits, case 'b' ${inRow(sql, cases)} end as "case"`,
  ).toEqual([{ list: [1, 4, 8], bits: 13, case: 'bb' }])
})
