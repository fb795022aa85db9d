import { expect, test } from 'vitest'
import { milestones } from './milestone.ts'
import { stepBits, stepsOf } from './status.ts'

// Stored with every deal: a number never changes, and the number of a dropped milestone is never reused.
test('the bits of the milestones match the stored columns', () => {
  expect(stepBits).toMatchObject({
    created: 0,
    survey: 1,
    cad: 2,
    redesign: 3,
    reSign: 4,
    engineering: 5,
    ntp: 6,
    hoa: 7,
    permit: 8,
    install: 9,
    inspection: 10,
    reInstall: 11,
    reInspection: 12,
    funding: 13,
    m2: 14,
  })
})

test('each milestone has a bit of its own that fits the column', () => {
  expect(Object.keys(stepBits).toSorted()).toEqual(milestones.map(({ name }) => name).toSorted())
  const bits = Object.values(stepBits)
  expect(new Set(bits).size).toBe(bits.length)
  for (const bit of bits) expect(bit >= 0 && bit < 31 && Number.isInteger(bit), String(bit)).toBe(true)
  expect(stepsOf(['created', 'permit'])).toBe(2 ** 0 + 2 ** 8)
})
