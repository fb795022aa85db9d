import { expect, test } from 'vitest'
import { BackgroundQueue, backgroundBounds } from './background.ts'

function makeQueue() {
  const failed: [string, unknown][] = []
  const dropped: string[] = []
  const queue = new BackgroundQueue({
    failed: (kind, error) => void failed.push([kind, error]),
    dropped: (kind) => void dropped.push(kind),
  })
  return { queue, failed, dropped }
}

const { atOnce, waitingMax } = backgroundBounds['requested link']

test('runs a limited number concurrently, queues a limited number, and drops and counts the rest', async () => {
  const { queue, dropped } = makeQueue()
  let running = 0
  let runningMax = 0
  let ran = 0
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const work = async () => {
    runningMax = Math.max(runningMax, ++running)
    await gate
    running--
    ran++
  }
  const begun = Array.from({ length: 10_000 }, (_, index) => queue.add('requested link', index, work))
  expect(begun.filter(Boolean)).toHaveLength(atOnce + waitingMax)
  expect(queue.counts().find(({ kind }) => kind === 'requested link')).toEqual({
    kind: 'requested link',
    waiting: waitingMax,
    dropped: 10_000 - atOnce - waitingMax,
  })
  expect(dropped).toHaveLength(10_000 - atOnce - waitingMax)
  open()
  await queue.done()
  expect([ran, runningMax]).toEqual([atOnce + waitingMax, atOnce])
})

test('runs the same work once at a time, alongside other kinds', async () => {
  const { queue } = makeQueue()
  const ran: string[] = []
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const work = (name: string) => async () => {
    ran.push(name)
    await gate
  }
  for (const name of ['first', 'second']) expect(queue.add('visit', 7, work(name))).toBe(true)
  queue.add('token use', 7, work('token'))
  expect(ran).toEqual(['first', 'token'])
  open()
  await queue.done()
  expect(ran).toEqual(['first', 'token'])
  queue.add('visit', 7, work('third'))
  await queue.done()
  expect(ran).toEqual(['first', 'token', 'third'])
})

test('reports failures, including synchronous ones, and continues', async () => {
  const { queue, failed } = makeQueue()
  const error = new Error('no')
  queue.add('timer', 1, () => {
    throw error
  })
  queue.add('timer', 2, () => Promise.reject(error))
  await queue.done()
  let hasRun = false
  queue.add('timer', 1, async () => {
    hasRun = true
  })
  await queue.done()
  expect([failed, hasRun]).toEqual([
    [
      ['timer', error],
      ['timer', error],
    ],
    true,
  ])
})
