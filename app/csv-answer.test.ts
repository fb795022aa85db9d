import { expect, test } from 'vitest'
import { ApiError } from '#server/errors.ts'
import { type ReadRows, csvAnswer } from './csv-answer.ts'

const answer = (read: ReadRows<string>) =>
  csvAnswer(
    new Request('http://localhost/'),
    'Names.csv',
    [{ title: 'Name', cell: (name: string) => name }],
    async () => read,
  )

test('sends the header while the first rows are still being sorted', async () => {
  const sorted = Promise.withResolvers<void>()
  const { body } = await answer(async (take) => {
    await sorted.promise
    await take(['Ana'])
    await take(['Bo'])
  })
  const [one, other] = body!.tee()
  const first = await one.getReader().read()
  expect(Buffer.from(first.value!).toString()).toBe('\uFEFFName\r\n')
  sorted.resolve()
  expect(Buffer.from(await new Response(other).arrayBuffer()).toString()).toBe('\uFEFFName\r\nAna\r\nBo\r\n')
})

test('sends the header once if there are no rows', async () => {
  expect(Buffer.from(await (await answer(async () => {})).arrayBuffer()).toString()).toBe('\uFEFFName\r\n')
})

test('a failure before the first row returns an error message', async () => {
  const response = await answer(async () => {
    throw new ApiError('SERVICE_UNAVAILABLE', 'Too many exports are running')
  })
  expect([response.status, await response.text()]).toEqual([503, 'Too many exports are running'])
})

test('reads rows only as fast as the client reads the file', async () => {
  let batches = 0
  const { body } = await answer(async (take) => {
    for (; batches < 1000; batches++) await take(Array<string>(100).fill('x'.repeat(1000)))
  })
  const reader = body!.getReader()
  for (let reads = 0; reads < 20; reads++) await reader.read()
  // The header and 3 batches fit in 20 chunks of 16 KB.
  expect(batches).toBeLessThan(5)
  await reader.cancel()
})
