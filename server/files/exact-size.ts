/** Thrown when a content does not have the announced length. */
export class SizeMismatchError extends Error {}

/**
 * Yields a content that must have this size: fails before yielding more, and at the end of less.
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
