import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { toApiError } from '../errors.ts'
import { type Write, streamed } from './streamed.ts'

const patient = { idleMs: 60_000, totalMs: 60_000 }
const piece = Buffer.alloc(16 * 1024, 'x')

/** Returns a request, and a function that disconnects the client. */
function makeRequest() {
  const client = new AbortController()
  return { request: new Request('http://localhost/', { signal: client.signal }), leave: () => client.abort() }
}

/** Returns a producer that writes until a write fails, and a promise for that error. */
function endless() {
  const ended = Promise.withResolvers<unknown>()
  let pieces = 0
  return {
    ended: ended.promise,
    pieces: () => pieces,
    async produce(write: Write) {
      try {
        for (; ; pieces++) {
          await write(piece)
          // Yields to timers, as waiting for a database or a disk would.
          await setImmediate()
        }
      } catch (error) {
        ended.resolve(error)
        throw error
      }
    },
  }
}

const messageOf = async (failure: Promise<unknown>) => toApiError(await failure).message

test('sends everything written, in order and as fast as it is read', async () => {
  let written = 0
  const body = await streamed(
    makeRequest().request,
    async (write) => {
      for (const size of [0, 1, 70_000, 3]) {
        await write(Buffer.alloc(size, String(written)))
        written++
      }
    },
    patient,
  )
  expect(written).toBe(1)
  expect(Buffer.from(await new Response(body).arrayBuffer()).toString()).toBe(`1${'2'.repeat(70_000)}333`)
})

test('may send nothing', async () => {
  expect(await new Response(await streamed(makeRequest().request, async () => {}, patient)).text()).toBe('')
})

test('rejects if an early failure occurs, and aborts the stream without details after a later failure', async () => {
  await expect(
    streamed(
      makeRequest().request,
      async () => {
        throw new Error('Lopez, Ana')
      },
      patient,
    ),
  ).rejects.toThrow('Lopez')
  const body = await streamed(
    makeRequest().request,
    async (write) => {
      await write(piece)
      throw new Error('Lopez, Ana')
    },
    patient,
  )
  await expect(new Response(body).text()).rejects.toMatchObject({
    name: 'AbortError',
    message: 'The response was cut short',
  })
})

describe('the producer of a response ends', () => {
  test('before it begins if the client has disconnected', async () => {
    const { request, leave } = makeRequest()
    leave()
    const work = endless()
    expect(await messageOf(streamed(request, work.produce, patient).catch((error: unknown) => error))).toBe(
      'The client disconnected',
    )
    expect(work.pieces()).toBe(0)
  })

  test('if the client disconnects, even if nothing was read or cancelled', async () => {
    const { request, leave } = makeRequest()
    const work = endless()
    await streamed(request, work.produce, patient)
    leave()
    expect(await messageOf(work.ended)).toBe('The client disconnected')
  })

  test('if the reader cancels', async () => {
    const work = endless()
    const reader = (await streamed(makeRequest().request, work.produce, patient)).getReader()
    await reader.read()
    await reader.cancel()
    expect(await messageOf(work.ended)).toBe('The client disconnected')
  })

  test('if the stream is never read', async () => {
    const work = endless()
    await streamed(makeRequest().request, work.produce, { ...patient, idleMs: 20 })
    expect(await messageOf(work.ended)).toBe('The client stopped reading')
    expect(work.pieces()).toBe(0)
  })

  test('if the reader stops halfway', async () => {
    const work = endless()
    const reader = (
      await streamed(makeRequest().request, work.produce, { ...patient, idleMs: 1000 })
    ).getReader()
    for (let pieces = 0; pieces < 10; pieces++) await reader.read()
    expect(await messageOf(work.ended)).toBe('The client stopped reading')
    await expect(reader.read()).rejects.toMatchObject({ name: 'AbortError' })
  })

  test('after the maximum duration', async () => {
    const work = endless()
    const body = await streamed(makeRequest().request, work.produce, { ...patient, totalMs: 50 })
    await expect(new Response(body).arrayBuffer()).rejects.toMatchObject({ name: 'AbortError' })
    expect(await messageOf(work.ended)).toBe('The response took too long')
  })
})
