import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { readInTurns } from './read-in-turns.ts'

test('many streams are read a few parts at a time in turn, each to its end', async () => {
  let read = 0
  const streams = Array.from({ length: 40 }, () => {
    let left = 3
    const stream = new Readable({
      read() {
        read++
        this.push(left-- > 0 ? 'part' : null)
      },
    })
    readInTurns(stream)
    return stream
  })
  const texts = streams.map(async (stream) => (await stream.toArray()).join(' '))
  const left = new Readable({ read: () => expect.fail('the client had left') })
  readInTurns(left)
  left.resume().destroy()
  let before = 0
  for (let turn = 0; turn < 40; turn++) {
    await setImmediate()
    expect(read - before).toBeLessThanOrEqual(4)
    before = read
  }
  expect(before).toBeGreaterThan(20)
  expect(await Promise.all(texts)).toEqual(streams.map(() => 'part part part'))
})
