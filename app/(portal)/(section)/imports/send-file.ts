import { sliceBytes } from '#server/imports/wire.ts'

/** How often a slice is attempted before the upload stops, and the first delay between attempts. */
const attemptsMax = 5
const waitMs = 1000

/** Thrown when the upload cannot continue now; the message says why. */
export class UploadStopped extends Error {}

/** The file to upload and the URL that accepts its slices. */
export interface Upload {
  url: string
  file: File
}

/**
 * Sends a file in slices, starting at the next one due, until all of it has arrived. Calls `onProgress` with the bytes received.
 * @throws UploadStopped
 */
export async function sendFile(
  { url, file }: Upload,
  onProgress: (receivedBytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let received = 0; received < file.size;) {
    received = await sendSlice({ url, file }, received, signal)
    if (signal.aborted) return
    onProgress(received)
  }
}

/** Sends the slice that begins at `offset`. Returns how many bytes the server has received. */
async function sendSlice({ url, file }: Upload, offset: number, signal: AbortSignal): Promise<number> {
  const body = await file
    .slice(offset, offset + sliceBytes)
    .arrayBuffer()
    .catch(() => {
      throw new UploadStopped(
        'The file can no longer be read; it may have been changed or moved. Discard the upload and choose the file again.',
      )
    })
  for (let attempts = 1; !signal.aborted; attempts++) {
    const answer = await post(`${url}${url.includes('?') ? '&' : '?'}offset=${offset}`, body, signal)
    if (typeof answer.received === 'number') return answer.received
    if (answer.problem !== undefined) throw new UploadStopped(answer.problem)
    if (attempts === attemptsMax) throw new UploadStopped('Connection lost. Your progress is saved.')
    await new Promise((resolve) => setTimeout(resolve, waitMs * attempts))
  }
  return offset
}

/** Sends a slice. Returns how much of the file has arrived, or a problem that retrying cannot solve, or neither. */
async function post(
  url: string,
  body: ArrayBuffer,
  signal: AbortSignal,
): Promise<{ received?: number; problem?: string }> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      body,
      headers: { 'Content-Type': 'application/octet-stream' },
      signal,
    })
    const { receivedBytes, message } = (await response.json()) as { receivedBytes?: number; message?: string }
    // 409: another slice is due, for instance because the last response was lost.
    if (response.ok || response.status === 409) return { received: receivedBytes! }
    if (response.status === 401)
      return { problem: 'You are signed out. Sign in in another tab, then resume here.' }
    return response.status < 500 && response.status !== 408 ? { problem: `${message}.` } : {}
  } catch {
    return {}
  }
}
