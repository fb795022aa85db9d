import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Turns } from './turns.ts'

const underwayMax = 256
const waitingMax = 4000

const request = () => new EventEmitter() as ServerResponse

async function fill(turns: Turns): Promise<(() => void)[]> {
  return Promise.all(Array.from({ length: underwayMax }, () => turns.take(request())))
}

const refused = expect.objectContaining({
  code: 'SERVICE_UNAVAILABLE',
  headers: { 'Retry-After': '2' },
}) as unknown

test('a bounded number is underway at once; the others follow in the order in which they came', async () => {
  const turns = new Turns()
  const ends = await fill(turns)
  const came: string[] = []
  const waiting = ['first', 'second', 'third'].map(async (name) => {
    const end = await turns.take(request())
    came.push(name)
    return end
  })
  await sleep(1)
  expect(came).toEqual([])
  ends[0]!()
  ends[1]!()
  await sleep(1)
  expect(came).toEqual(['first', 'second'])
  ;(await waiting[0]!)()
  await waiting[2]!
  expect(came).toEqual(['first', 'second', 'third'])
})

test('a turn that does not come is refused, and takes nobody else’s', async () => {
  const turns = new Turns(20)
  const ends = await fill(turns)
  await expect(turns.take(request())).rejects.toEqual(refused)
  for (const end of ends) end()
  const again = await fill(turns)
  await expect(turns.take(request())).rejects.toEqual(refused)
  for (const end of again) end()
})

test('a client that goes while it waits leaves its place, and no listener', async () => {
  const turns = new Turns()
  const [end] = await fill(turns)
  const [gone, staying] = [request(), request()]
  const [left, stayed] = [turns.take(gone), turns.take(staying)]
  gone.emit('close')
  await expect(left).rejects.toEqual(refused)
  end!()
  await stayed
  expect([gone, staying].map((each) => each.listenerCount('close'))).toEqual([0, 0])
})

test('no more wait than there is room for', async () => {
  const turns = new Turns(50)
  await fill(turns)
  const waiting = Promise.allSettled(Array.from({ length: waitingMax }, () => turns.take(request())))
  const before = performance.now()
  await expect(turns.take(request())).rejects.toEqual(refused)
  expect(performance.now() - before).toBeLessThan(50)
  expect(new Set((await waiting).map(({ status }) => status))).toEqual(new Set(['rejected']))
})
