import { expect, test } from 'vitest'
import {
  batchMax,
  pageAnswerMaxBytes,
  requestAnswerMaxBytes,
  sizeOf,
  usualAnswerMaxBytes,
} from '../access/answer-size.ts'
import type { Context } from '../access/procedure.ts'
import { open, router } from '../access/procedure.ts'
import { dealMaxBytes, eventPageMaxBytes, historyPageMaxBytes } from '../deals/policy.ts'
import { Prepared } from '../values/prepared.ts'
import { largestAnswerOf, procedureNames } from './largest-answer.ts'
import { unreadLimits } from './unread-answers.ts'

/** Within a JSON string, a quotation mark takes two bytes. */
const escaping = 2

test("a batch of the largest responses of any procedure fits a member's limit of unread bytes", () => {
  expect(procedureNames.length).toBeGreaterThan(150)
  for (const name of procedureNames) {
    const alone = largestAnswerOf([name])
    expect(alone, name).toBeLessThanOrEqual(requestAnswerMaxBytes)
    const batch = largestAnswerOf(Array.from({ length: batchMax }, () => name))
    // Responses larger than this are rejected.
    expect(Math.min(batch, requestAnswerMaxBytes) * escaping, name).toBeLessThanOrEqual(
      unreadLimits.perMember,
    )
    if (alone === usualAnswerMaxBytes) expect(batch, name).toBeLessThanOrEqual(requestAnswerMaxBytes)
  }
  expect(largestAnswerOf(['deals.list', 'deals.list'])).toBeGreaterThan(requestAnswerMaxBytes)
})

test('pages of the largest deals and events fit their size limits', () => {
  const listSizeMax = 25
  expect(listSizeMax * dealMaxBytes).toBeLessThan(pageAnswerMaxBytes)
  // An event contains the deal and at most two values of each field: the old and the new one.
  const eventMaxBytes = 3 * dealMaxBytes + 100_000
  expect(eventPageMaxBytes + eventMaxBytes).toBeLessThan(pageAnswerMaxBytes)
  // Changes that exceed this size are truncated.
  expect(historyPageMaxBytes).toBeLessThan(usualAnswerMaxBytes)
})

test('rejects large responses of procedures without a declared size', async () => {
  let answer: unknown
  const caller = router({
    usual: open.query((): unknown => answer),
    large: open.meta({ answerMaxBytes: pageAnswerMaxBytes }).query(() => answer),
  })
  const context = { services: {}, actor: null, ifNoneMatch: () => false } as object as Context
  const { usual, large } = caller.createCaller(context)
  const text = 'x'.repeat(usualAnswerMaxBytes)
  for (const tooLarge of [
    text,
    { rows: [text] },
    new Prepared(text + text),
    [[...text]],
    new Map([[1, text]]),
  ]) {
    answer = tooLarge
    await expect(usual(), typeof tooLarge).rejects.toThrow('is too large')
    expect(await large()).toBe(tooLarge)
  }
  answer = { rows: [text.slice(1000)] }
  expect(await usual()).toBe(answer)
})

test('estimates the size of a response from its values', () => {
  const answer = {
    id: 12_345,
    name: 'Señor 太陽',
    rows: [{ at: new Date(0), is: true, none: null }],
    more: ['a', 'b'],
  }
  const bytes = Buffer.byteLength(JSON.stringify(answer))
  expect(sizeOf(answer)).toBeGreaterThan(bytes * 0.8)
  expect(sizeOf(answer)).toBeLessThan(bytes * 1.5)
})
