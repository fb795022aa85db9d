import type { Readable } from 'node:stream'

/** Parts of files that are read before the process continues with other work. */
const partsAtOnce = 2

const waiting: (() => unknown)[] = []

function giveTurns(): void {
  for (const read of waiting.splice(0, partsAtOnce)) read()
  if (waiting.length > 0) setImmediate(giveTurns)
}

/** Makes file streams read in turns, so that many concurrent downloads do not delay other work. */
export function readInTurns(stream: Readable): void {
  const read = stream._read.bind(stream)
  stream._read = (size) => {
    // A client may have left by then.
    const part = () => stream.destroyed || read(size)
    if (waiting.push(part) === 1) setImmediate(giveTurns)
  }
}
