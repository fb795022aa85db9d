/** Thrown if content does not have the expected length. */
export class SizeMismatchError extends Error {}

/**
 * Yields content that must have this size. Fails before yielding more bytes than that, and at the end if
 * there were fewer.
 * @throws SizeMismatchError
 */
export async function* exactly(
  content: AsyncIterable<Uint8Array>,
  sizeBytes: number,
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of content) {
    bytes += chunk.length
    if (bytes > sizeBytes) throw new SizeMismatchError(`More than the announced ${sizeBytes} bytes arrived.`)
    yield chunk
  }
  if (bytes < sizeBytes) throw new SizeMismatchError(`Of ${sizeBytes} bytes ${bytes} arrived.`)
}
