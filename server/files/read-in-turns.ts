import type { Readable } from 'node:stream'

/** Number of parts to read before other work gets a turn. */
const partsAtOnce = 2

const waiting: (() => unknown)[] = []

function giveTurns(): void {
  for (const read of waiting.splice(0, partsAtOnce)) read()
  if (waiting.length > 0) setImmediate(giveTurns)
}

/** Makes file streams take turns reading, so that many concurrent downloads do not delay other work. */
export function readInTurns(stream: Readable): void {
  const read = stream._read.bind(stream)
  stream._read = (size) => {
    // The client may have disconnected before this stream's turn.
    const part = () => stream.destroyed || read(size)
    if (waiting.push(part) === 1) setImmediate(giveTurns)
  }
}
