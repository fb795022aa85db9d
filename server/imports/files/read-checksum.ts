import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'

const chunkBytes = 256 * 1024

/** Returns the SHA-256 of a file, in hexadecimal digits. */
export async function checksumOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: chunkBytes }), hash)
  return hash.digest('hex')
}
