import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalSystem, openLocalSystem } from '#e2e/local-system.ts'
import { printed, refused } from '#e2e/operator.ts'
import { writeRecords } from '#e2e/write-records.ts'

let system: LocalSystem
beforeAll(async () => {
  system = await openLocalSystem()
  await writeRecords(system.db, null, [
    { id: 1n, stage: 'Survey' },
    { id: 2n, stage: 'Funded' },
  ])
})
afterAll(() => system.close())

const operator = (...words: string[]) => system.operator(['stage', ...words])

test('list prints the stages in order, and with --json in full', async () => {
  expect(await operator('list')).toEqual(printed('Survey\topen\t0\tblue\tsurvey\nFunded\twon\t0\tgreen\t\n'))
  expect(JSON.parse((await operator('list', '--json')).stdout)[0]).toEqual({
    name: 'Survey',
    kind: 'open',
    place: 'survey',
    order: 0,
    tone: 'blue',
  })
})

test('set changes the given fields, and prints the stage', async () => {
  expect(await operator('set', 'Funded', '--kind', 'on-hold')).toEqual(
    printed('Funded\ton-hold\t0\tgray\t\n'),
  )
  expect(
    JSON.parse((await operator('set', 'Funded', '--order', '30', '--tone', 'violet', '--json')).stdout),
  ).toEqual({ name: 'Funded', kind: 'on-hold', place: null, order: 30, tone: 'violet' })
  expect(await operator('set', 'Funded', '--kind', 'open', '--place', 'payment', '--tone', 'auto')).toEqual(
    printed('Funded\topen\t30\tgreen\tpayment\n'),
  )
})

test('set rejects unknown stages and empty changes', async () => {
  expect(await operator('set', 'Nowhere', '--kind', 'won')).toEqual(refused('Stage not found'))
  expect(await operator('set', 'Survey')).toEqual(refused('give --kind, --place, --order or --tone'))
  expect(await operator('set', '', '--kind', 'won')).toEqual(refused('the name must not be empty'))
  expect(await operator('set', 'Survey', '--order', 'first')).toEqual(
    refused('--order must be a whole number'),
  )
  expect(await operator('set', 'Survey', '--order', '-1')).toEqual(refused('--order must be at least 0'))
  expect((await operator('set', 'Survey', '--kind', 'closed')).stderr).toContain(
    'Allowed choices are open, on-hold, won, lost.',
  )
})

test('remove and merge print the removed stage and the target', async () => {
  for (const stage of ['Plan check', 'Surveyed', 'Survey'])
    await writeRecords(system.db, null, [{ id: 1n, stage }])
  expect((await operator('remove', 'Plan check')).stdout).toMatch(/^Plan check\topen\t/)
  expect(await operator('remove', 'Plan check')).toEqual(refused('Stage not found'))
  expect((await operator('merge', 'Surveyed', '--into', 'Survey')).stdout).toMatch(/^Survey\topen\t/)
  expect((await operator('list')).stdout).not.toMatch(/Plan check|Surveyed/)
})
