import { describe, expect, test } from 'vitest'
import { openImports, refusalOf } from '#e2e/importing.ts'

// Tests ambiguous files and the warnings of a preview.

const world = openImports()
const makeId = () => world.makeIds(1)[0]!
const upload = (content: string, fileName = 'deals.csv') => world.upload(content, { fileName })

test('has no warnings for a plausible file and for an undo', async () => {
  const id = makeId()
  const row = `${id},Lopez,NTP,"$30,800",85007-1234,Arizona,(602) 555-0147 x12`
  const found = await upload(`id,dealname,stage,amount,zipCode,state,primaryPhone\n${row}\n`)
  expect(found.sample!.warnings).toBeUndefined()
  await world.start(found.id)
  await world.start((await upload(`id,zipCode\n${id},85\n`)).id)
  const corrected = await world.start((await upload(`id,zipCode\n${id},85007\n`)).id)
  const undo = await world.caller.undo({ id: corrected.id })
  await world.done()
  const { updated, sample } = await world.caller.one(undo)
  expect([updated, sample!.warnings]).toEqual([1, undefined])
})

describe('a rejected row or unreadable cell', () => {
  test('is reported with its reason, column title and value from the file', async () => {
    const id = makeId()
    const found = await upload(
      `Deal ID,Contract Price,Permit received,HOA\n,1,,Y\n${id},abc,2/30/2026,\n${id}9,1,2/3/2026,Y\n`,
    )
    expect(found.sample!.rejected.map(({ title, reason }) => `${title} ${reason}`)).toEqual([
      'Deal ID is empty',
    ])
    const [amount, permit] = [
      '“abc” is not a number; use one such as 30800.50',
      '“2/30/2026” is not a day of the calendar; use one such as 2026-03-01',
    ]
    expect(found.sample!.unreadable).toEqual([
      { line: 3, field: 'amount', title: 'Contract Price', text: 'abc', reason: amount },
      { line: 3, field: 'permitReceived', title: 'Permit received', text: '2/30/2026', reason: permit },
    ])
    expect(found).toMatchObject({ created: 2, rejected: 1, unreadable: 2, hasRejected: true })
    expect(await world.rejectedOf(found.id)).toContain(
      `Left out: Contract Price ${amount}. Permit received ${permit}`,
    )
  })
})

describe('a column with an ambiguous title', () => {
  test('must be chosen again if only its dates determined the field', async () => {
    const content = (day: string) =>
      `id,dealname,Install Date,x${world.partner.slug}\n${makeId()},Lopez,${day},\n`
    const found = await upload(content('2999-03-01'))
    expect(found.sample!.columns![2]).toMatchObject({ field: 'installedScheduled' })
    await world.start(found.id)
    const next = await upload(content('2020-03-01'))
    expect(next.sample!.columns![2]).toMatchObject({
      field: '',
      mayBe: ['installComplete', 'installedScheduled'],
    })
  })
})

describe('dates with ambiguous day and month', () => {
  const days = async (id: number) => (await world.dealOf(id))?.['permitReceived']

  test('are month first by default', async () => {
    const id = makeId()
    const { id: made, sample } = await upload(`id,Permit received\n${id},3/4/2026\n`)
    expect(sample!.dates).toEqual({
      dayFirst: false,
      title: 'Permit received',
      text: '3/4/2026',
      days: { monthFirst: '2026-03-04', dayFirst: '2026-04-03' },
    })
    await world.caller.choose({ id: made, dayFirst: true })
    await world.done()
    expect((await world.caller.one({ id: made })).sample!.dates).toMatchObject({ dayFirst: true })
    await world.start(made)
    expect(await days(id)).toBe('2026-04-03T00:00:00.000Z')
  })

  test('are day first if one date in the file can only be read that way, even when rows are corrected', async () => {
    const [a, b] = [makeId(), makeId()]
    const found = await upload(`id,Permit received,amount\n${a},25/3/2026,1\n${b},3/4/2026,much\n`)
    expect(found.sample!.dates).toMatchObject({ dayFirst: true })
    await world.start(found.id)
    expect(await days(a)).toBe('2026-03-25T00:00:00.000Z')
    const corrections = [{ line: 3, cells: [{ title: 'amount', text: '2' }] }]
    const sent = await world.caller.sendCorrections({ id: found.id, corrections })
    await world.done()
    await world.start(sent.id)
    expect(await days(b)).toBe('2026-04-03T00:00:00.000Z')
  })

  test('need no choice, and allow none, if the file is unambiguous', async () => {
    const { id, sample } = await upload(`id,Permit received\n${makeId()},3/25/2026\n`)
    expect(sample!.dates).toBeUndefined()
    expect((await refusalOf(world.caller.choose({ id, dayFirst: true }))).code).toBe('BAD_REQUEST')
  })
})
