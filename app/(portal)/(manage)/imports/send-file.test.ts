import { type ServerResponse, createServer } from 'node:http'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { answerRefusal } from '#app/refusal.ts'
import { listenLocally } from '#e2e/loopback.ts'
import { ApiError } from '#server/errors.ts'
import { UploadStoppedError, sendFile, whileUnavailable } from './send-file.ts'

let answers: ((response: ServerResponse) => void)[] = []
const server = createServer((request, response) => {
  request.resume().once('end', () => (answers.length > 1 ? answers.shift()! : answers[0]!)(response))
})
const { url: origin, close } = await listenLocally(server)
const url = `${origin}/content`
afterAll(close)

let waits: (string | null)[] = []
let progress: number[] = []
beforeEach(() => {
  waits = []
  progress = []
})

/** Responds with the same errors as the real routes. */
const refuse = (refusal: ApiError) => (response: ServerResponse) => {
  const answer = answerRefusal(refusal)
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  void answer.text().then((body) => response.end(body))
}
const away = refuse(
  new ApiError('SERVICE_UNAVAILABLE', 'The file store cannot be used at the moment; try again shortly', {
    headers: { 'Retry-After': '0.01' },
  }),
)
const take = (response: ServerResponse) => void response.end('{"receivedBytes":3}')

const send = (signal = new AbortController().signal) =>
  sendFile(
    { url, file: new File(['abc'], 'a.csv') },
    { onProgress: (bytes) => progress.push(bytes), onWait: (reason) => waits.push(reason) },
    signal,
  )

test('an upload waits while the store is unavailable, then resumes automatically', async () => {
  // More retries than are allowed for an unknown error.
  answers = [...Array<typeof away>(8).fill(away), (response) => void response.destroy(), take]
  await send()
  expect(progress).toEqual([3])
  const reason = 'The file store cannot be used at the moment. The upload continues by itself.'
  expect(waits).toEqual([
    ...Array<string>(8).fill(reason),
    'Connection lost. The upload continues by itself.',
    null,
  ])
})

test('discarding a waiting upload ends it', async () => {
  answers = [away]
  const controller = new AbortController()
  const sending = send(controller.signal)
  await expect.poll(() => waits.length).toBeGreaterThan(1)
  controller.abort()
  await sending
  expect(progress).toEqual([])
})

test('a rejected upload stops and shows the reason', async () => {
  answers = [refuse(new ApiError('BAD_REQUEST', 'The file is longer than announced'))]
  await expect(send()).rejects.toThrow(new UploadStoppedError('The file is longer than announced.'))
})

test('an unavailable service says when to retry', () => {
  const refusal = new ApiError('SERVICE_UNAVAILABLE', 'Later', { headers: { 'Retry-After': '5' } })
  expect(answerRefusal(refusal).headers.get('retry-after')).toBe('5')
})

test('retries only while the server is unavailable', async () => {
  const failures = ['SERVICE_UNAVAILABLE', 'NOT_FOUND']
  const work = async () => {
    throw Object.assign(new Error('Later'), { data: { code: failures.shift() } })
  }
  const { signal } = new AbortController()
  await expect(whileUnavailable(work, (reason) => waits.push(reason), signal)).rejects.toThrow('Later')
  expect([waits, failures]).toEqual([['Later. The upload continues by itself.'], []])
})
