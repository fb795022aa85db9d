import { expect, test } from 'vitest'
import { StageMatcher, likeliest, stageKey } from './spelling.ts'

test.each([
  ['permit submitted', 'Permit Submitted'],
  ['Permit-Submitted ', 'Permit Submitted'],
  ['PERMIT_SUBMITTED', 'Permit Submitted'],
  ['Ｐermit\u00a0submitted…', 'Permit Submitted'],
  ['Réception', 'RE\u0301CEPTION'],
])('%j is a spelling of %j', (spelling, name) => {
  expect(new StageMatcher([name]).match(spelling)).toEqual({ name })
})

test.each([
  ['M1 Submitted', 'M2 Submitted'],
  ['–', '?'],
])('%j is not a spelling of %j', (spelling, name) => {
  expect(stageKey(spelling)).not.toBe(stageKey(name))
})

test('an existing name matches itself, even if another spelling of it exists', () => {
  const matcher = new StageMatcher(['Permit Submitted', 'permit submitted'])
  expect(matcher.match('permit submitted')).toEqual({ name: 'permit submitted' })
  expect(matcher.match('PERMIT SUBMITTED')).toEqual({ name: 'Permit Submitted' })
})

test('the first spelling of a new stage becomes its name', () => {
  const matcher = new StageMatcher([])
  const names = ['Site Survey', 'site-survey', 'SITE SURVEY'].map((each) => matcher.match(each).name)
  expect(names).toEqual(['Site Survey', 'Site Survey', 'Site Survey'])
  expect(matcher.added()).toEqual([{ name: 'Site Survey', deals: 3, likely: [], isUnsure: false }])
})

test.each([
  ['Permit Submited', ['Permit Submitted'], true],
  ['PermitSubmited', ['Permit Submitted'], true],
  ['Submitted Permit', ['Permit Submitted'], true],
  ['Installation Scheduled', ['Install Scheduled'], false],
  ['Permitting Submitted', ['Permit Submitted'], false],
  ['Permit Approved', ['Permit Submitted'], false],
  ['Permit Resubmitted', ['Permit Submitted'], false],
  ['M2 Submitted', ['M1 Submitted'], false],
  ['M2 Funding Package Sent Out', ['M1 Funding Package Sent Out'], false],
  ['NTP Submitted', ['Permit Submitted'], false],
  ['Funded', [], false],
  ['On Hold', [], false],
])('%j is similar to %j, and needs a decision: %s', (name, likely, isUnsure) => {
  const known = [
    'Permit Submitted',
    'Install Scheduled',
    'M1 Submitted',
    'M1 Funding Package Sent Out',
    'Sold',
  ]
  const found = likeliest(name, known)
  expect(found.likely.slice(0, likely.length)).toEqual(likely)
  expect(found.isUnsure).toBe(isUnsure)
  if (likely.length === 0) expect(found.likely).toEqual([])
})

test('a name similar to an existing stage is undecided until an operator chooses', () => {
  const known = ['Permit Submitted']
  const open = new StageMatcher(known)
  const { added } = open.match('Permit Submited')
  expect(open.isOpen(added!)).toBe(true)
  const mapped = new StageMatcher(known, { 'Permit Submited': 'Permit Submitted' })
  expect(mapped.match('permit submited')).toMatchObject({ name: 'Permit Submitted' })
  const fresh = new StageMatcher(known, { 'Permit Submited': 'Permit Submited' })
  expect(fresh.match('permit submited')).toMatchObject({ name: 'Permit Submited' })
  for (const matcher of [mapped, fresh]) expect(matcher.isOpen(matcher.added()[0]!)).toBe(false)
})

test('notes in place of a stage are stored unchanged, and cost little', () => {
  const matcher = new StageMatcher(Array.from({ length: 200 }, (_, index) => `Stage of kind ${index} here`))
  const note = ' '.repeat(10_000)
  expect(matcher.match(note)).toEqual({ name: note })
  const start = performance.now()
  for (let index = 0; index < 20_000; index++) matcher.match(`Called on the ${index}th of some month`)
  expect(performance.now() - start).toBeLessThan(5000)
  expect(matcher.added()).toHaveLength(200)
})

test('a new spelling similar to an earlier new stage is suggested without asking', () => {
  const matcher = new StageMatcher(['Installed'])
  matcher.match('Permit Submitted')
  matcher.match('Permit Submited')
  expect(matcher.added()).toMatchObject([
    { name: 'Permit Submitted', likely: [], isUnsure: false },
    { name: 'Permit Submited', likely: ['Permit Submitted'], isUnsure: false },
  ])
})

test('a merged name stands for the target stage in any spelling, unless the stage exists again', () => {
  const note = 'Waiting for the homeowner to sign and return the contract that was mailed to them in May'
  const merged = new Map([
    ['Permit Sent', 'Permit Submitted'],
    [note, 'Permit Submitted'],
  ])
  const matcher = new StageMatcher(['Permit Submitted'], {}, true, merged)
  for (const spelling of ['Permit Sent', 'permit-sent', note])
    expect(matcher.match(spelling)).toEqual({ name: 'Permit Submitted' })
  expect(matcher.added()).toEqual([])
  const again = new StageMatcher(['Permit Submitted', 'Permit Sent'], {}, true, merged)
  expect(again.match('permit sent')).toEqual({ name: 'Permit Sent' })
  expect(again.match('Permit Sent')).toEqual({ name: 'Permit Sent' })
})
