import { failureMessage } from '#app/ui/failure-message.ts'
import { sliceBytes } from '#server/imports/wire.ts'

/** Maximum number of attempts for a slice that fails for an unknown reason. */
const attemptsMax = 5

/** First and maximum delay between attempts. */
const [waitMs, waitMaxMs] = [1000, 30_000]

/** Thrown when an upload stops. The message explains why. */
export class UploadStoppedError extends Error {}

/** A file to upload and the URL that receives its slices. */
export interface Upload {
  url: string
  file: File
}

/** Called with the reason when the upload starts waiting, and with null when the upload resumes. */
export type OnWait = (reason: string | null) => void

/**
 * Sends a file in slices, starting with the first missing slice. Calls `onProgress` with the number of bytes
 * received. Retries indefinitely while the server or file store is unavailable.
 * @throws UploadStoppedError
 */
export async function sendFile(
  { url, file }: Upload,
  { onProgress, onWait }: { onProgress: (receivedBytes: number) => void; onWait: OnWait },
  signal: AbortSignal,
): Promise<void> {
  for (let received = 0; received < file.size;) {
    received = await sendSlice({ url, file }, received, onWait, signal)
    if (signal.aborted) return
    onProgress(received)
  }
}

/**
 * Sends the slice that begins at `offset`. Returns the number of bytes that the server has received so far.
 */
async function sendSlice(
  { url, file }: Upload,
  offset: number,
  onWait: OnWait,
  signal: AbortSignal,
): Promise<number> {
  const body = await file
    .slice(offset, offset + sliceBytes)
    .arrayBuffer()
    .catch(() => {
      throw new UploadStoppedError(
        'The file can no longer be read; it may have been changed or moved. Discard the upload and choose the file again.',
      )
    })
  for (let attempts = 1; !signal.aborted; attempts++) {
    const answer = await post(`${url}${url.includes('?') ? '&' : '?'}offset=${offset}`, body, signal)
    if (typeof answer.received === 'number') {
      onWait(null)
      return answer.received
    }
    if (answer.problem !== undefined) throw new UploadStoppedError(answer.problem)
    if (answer.away !== undefined) onWait(waitingText(answer.away))
    else if (attempts === attemptsMax)
      throw new UploadStoppedError('Something went wrong on our side. Your progress is saved.')
    await pause(answer.retryAfterMs ?? delayOf(attempts), signal)
  }
  return offset
}

/**
 * Retries `work` while the server is unavailable. Calls `onWait` before each delay.
 * @throws any other error of the work
 */
export async function whileUnavailable<T>(
  work: () => Promise<T>,
  onWait: OnWait,
  signal: AbortSignal,
): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      const result = await work()
      onWait(null)
      return result
    } catch (error) {
      const { message, data } = error as { message: string; data?: { code?: string } | null }
      if (signal.aborted || data?.code !== 'SERVICE_UNAVAILABLE') throw error
      onWait(waitingText(message))
      await pause(delayOf(attempts), signal)
    }
  }
}

/** Error codes with messages that explain how to fix the problem. */
const explained = new Set(['BAD_REQUEST', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'])

/** Returns a sentence that explains why an upload stopped. */
export function uploadProblem(error: unknown): string {
  if (error instanceof UploadStoppedError) return error.message
  const { message, data } = error as {
    message: string
    data?: { code: string; errors: string[] | null } | null
  }
  const [reason = explained.has(data?.code ?? '') ? message : undefined] = data?.errors ?? []
  if (reason === undefined) return failureMessage(error)
  const text = reason.replace(/^sizeBytes: /, '')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

const delayOf = (attempts: number) => Math.min(waitMs * attempts, waitMaxMs)

/** Describes why an upload is waiting, such as `The file store is full. The upload continues by itself.` */
const waitingText = (message: string) => `${message.split('; try again')[0]}. The upload continues by itself.`

/** Resolves after `ms` milliseconds, or when `signal` is aborted. */
const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })

/** Result of sending a slice: the number of bytes received, a permanent problem, or a reason to wait. */
interface Answer {
  received?: number
  problem?: string
  /** Reason to wait: the service that is unavailable. */
  away?: string
  retryAfterMs?: number
}

async function post(url: string, body: ArrayBuffer, signal: AbortSignal): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/octet-stream' },
    signal,
  }).catch(() => null)
  if (response === null) return { away: 'Connection lost' }
  const { receivedBytes, message } = (await response.json().catch(() => ({}))) as {
    receivedBytes?: number
    message?: string
  }
  // 409: the server expects another slice, for instance because the last response was lost.
  if (response.ok || response.status === 409)
    return receivedBytes === undefined ? {} : { received: receivedBytes }
  if (response.status === 401)
    return { problem: 'You are signed out. Sign in in another tab, then resume here.' }
  const seconds = Number(response.headers.get('retry-after') ?? NaN)
  const retryAfterMs = Math.min(1000 * seconds, waitMaxMs)
  // 502 and 504 come from a proxy while the server restarts.
  if ([429, 502, 503, 504].includes(response.status))
    return { away: message ?? 'The server cannot be reached', ...(seconds > 0 && { retryAfterMs }) }
  return response.status < 500 && response.status !== 408 ? { problem: `${message}.` } : {}
}
