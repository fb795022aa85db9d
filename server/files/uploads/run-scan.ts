import { spawn } from 'node:child_process'
import { pipeline } from 'node:stream/promises'
import { ApiError } from '../../protocol/errors.ts'

const scanMaxMs = 120_000

/**
 * Pipes a content to the operator's scan command, like `clamdscan -`. Returns whether it is clean: exit code
 * 0 accepts, 1 rejects.
 * @throws ApiError 503 when the command fails, because what nobody has looked at is not accepted
 */
export async function runScan(command: string, content: AsyncIterable<Uint8Array>): Promise<boolean> {
  const child = spawn(command, {
    shell: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    signal: AbortSignal.timeout(scanMaxMs),
  })
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null))
    child.once('close', resolve)
  })
  // The scanner may decide before the end of the input; a content that cannot be read fails.
  let failure: unknown = null
  const reading = async function* (): AsyncIterable<Uint8Array> {
    try {
      yield* content
    } catch (error) {
      failure = error
      throw error
    }
  }
  await pipeline(reading(), child.stdin).catch(() => child.stdin.destroy())
  const code = await ended
  if (failure !== null) throw failure
  if (code === 0 || code === 1) return code === 0
  throw new ApiError('SERVICE_UNAVAILABLE', 'The virus scanner does not work at the moment; try again later')
}
