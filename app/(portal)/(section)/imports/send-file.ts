import { sliceBytes } from '#server/imports/wire.ts'

/** How often a slice is sent before the upload is given up for now, and how long is waited in between at first. */
const attemptsMax = 5
const waitMs = 1000

/** The upload cannot go on now; the message says why. */
export class UploadStopped extends Error {}

/** What is sent, and where to: the address that takes the slices. */
export interface Upload {
  address: string
  file: File
}

/**
 * Sends a file in slices, beginning with the one that is due, until all of it has arrived; `tell` is told how much has.
 * @throws UploadStopped
 */
export async function sendFile(
  { address, file }: Upload,
  tell: (receivedBytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let received = 0; received < file.size;) {
    received = await sendSlice({ address, file }, received, signal)
    if (signal.aborted) return
    tell(received)
  }
}

/** Sends the slice that begins at `offset`; gives how much has arrived, which is what the server says. */
async function sendSlice({ address, file }: Upload, offset: number, signal: AbortSignal): Promise<number> {
  const body = await file
    .slice(offset, offset + sliceBytes)
    .arrayBuffer()
    .catch(() => {
      throw new UploadStopped(
        'The file cannot be read any more. It may have been changed or moved; discard it and choose it again.',
      )
    })
  for (let attempts = 1; !signal.aborted; attempts++) {
    const answer = await post(`${address}${address.includes('?') ? '&' : '?'}offset=${offset}`, body, signal)
    if (typeof answer.received === 'number') return answer.received
    if (answer.problem !== undefined) throw new UploadStopped(answer.problem)
    if (attempts === attemptsMax)
      throw new UploadStopped('The connection was lost. What has arrived is kept.')
    await new Promise((resolve) => setTimeout(resolve, waitMs * attempts))
  }
  return offset
}

/** What came of sending a slice: how much of the file is there, or why there is no use in trying again; neither when there is. */
async function post(
  address: string,
  body: ArrayBuffer,
  signal: AbortSignal,
): Promise<{ received?: number; problem?: string }> {
  try {
    const response = await fetch(address, {
      method: 'POST',
      body,
      headers: { 'Content-Type': 'application/octet-stream' },
      signal,
    })
    const { receivedBytes, message } = (await response.json()) as { receivedBytes?: number; message?: string }
    // 409: another slice is due, as when the answer to the one before was lost.
    if (response.ok || response.status === 409) return { received: receivedBytes! }
    if (response.status === 401)
      return { problem: 'You are signed out. Sign in in another tab, then go on here.' }
    return response.status < 500 && response.status !== 408 ? { problem: `${message}.` } : {}
  } catch {
    return {}
  }
}
