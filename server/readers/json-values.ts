import { recordMaxBytes } from '../records/record-source.ts'

/** The bytes of a value, or the reason it cannot be read. */
export type RawValue = Buffer | string

/** A value in a JSON text, and the line where it starts, counted from 1. */
interface JsonValue {
  line: number
  raw: RawValue
}

export const tooLong = `is longer than ${recordMaxBytes} bytes`
const cutOff = 'has no end: the file is cut off, or a quote or bracket is missing in this record or before it'

const [quote, backslash, comma] = [34, 92, 44]
const [openArray, closeArray, openObject, closeObject] = [91, 93, 123, 125]
const isBlank = (byte: number) => byte === 32 || (byte >= 9 && byte <= 13)

/**
 * Yields the unparsed values at a nesting depth of a JSON text: the elements of a list (1), the elements of a
 * list in an object (2), or consecutive values (0). Memory is bounded.
 */
export async function* jsonValues(
  chunks: AsyncIterable<Buffer>,
  depth: 0 | 1 | 2,
): AsyncGenerator<JsonValue> {
  const scanner = new Scanner(depth)
  let isFirst = true
  for await (const chunk of chunks) {
    yield* scanner.scan(isFirst ? withoutMark(chunk) : chunk)
    isFirst = false
  }
  yield* scanner.end()
}

const byteOrderMark = Buffer.from('\uFEFF')

/** Returns the first bytes of a string without the byte order mark. */
export const withoutMark = (bytes: Buffer) =>
  bytes.subarray(0, 3).equals(byteOrderMark) ? bytes.subarray(3) : bytes

class Scanner {
  readonly #depth: number
  /** Open brackets outside of values. */
  readonly #open: number[] = []
  #nesting = 0
  #isInString = false
  #isEscaped = false
  #line = 1
  /** The line where the current value starts, or null between values. */
  #begun: number | null = null
  /** Bytes of the current value in previous chunks, or null if the value is too long. */
  #parts: Buffer[] | null = []
  #size = 0

  constructor(depth: number) {
    this.#depth = depth
  }

  *scan(chunk: Buffer): Generator<JsonValue> {
    let start = 0
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!
      if (this.#isInString) {
        this.#readString(byte)
        continue
      }
      if (this.#begun === null) {
        if (!this.#begins(byte)) {
          this.#track(byte)
          continue
        }
        this.#begun = this.#line
        start = at
      } else if (this.#nesting === this.#depth && this.#endsScalar(byte)) {
        yield this.#take(chunk.subarray(start, at))
        this.#track(byte)
        continue
      }
      this.#track(byte)
      const isClosed = byte === closeArray || byte === closeObject
      if (isClosed && this.#nesting === this.#depth) yield this.#take(chunk.subarray(start, at + 1))
    }
    if (this.#begun !== null) this.#keep(chunk.subarray(start))
  }

  *end(): Generator<JsonValue> {
    if (this.#begun === null) return
    const { line, raw } = this.#take(Buffer.alloc(0))
    const isScalar = this.#nesting === this.#depth && !this.#isInString
    yield { line, raw: isScalar ? raw : cutOff }
  }

  #readString(byte: number): void {
    if (byte === 10) this.#line++
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === backslash) this.#isEscaped = true
    else if (byte === quote) this.#isInString = false
  }

  /** Returns whether a value begins with this byte. In an object, values only occur within a list. */
  #begins(byte: number): boolean {
    if (this.#nesting !== this.#depth || isBlank(byte) || byte === comma) return false
    if (byte === closeArray || byte === closeObject) return false
    if (this.#depth === 2) return byte === openObject && this.#open[1] === openArray
    return true
  }

  #endsScalar(byte: number): boolean {
    return isBlank(byte) || byte === comma || byte === closeArray || byte === closeObject
  }

  #track(byte: number): void {
    switch (byte) {
      case 10:
        this.#line++
        break
      case quote:
        this.#isInString = true
        break
      case openArray:
      case openObject:
        if (this.#nesting < this.#depth) this.#open[this.#nesting] = byte
        this.#nesting++
        break
      case closeArray:
      case closeObject:
        this.#nesting = Math.max(0, this.#nesting - 1)
        break
    }
  }

  #keep(bytes: Buffer): void {
    this.#size += bytes.length
    if (this.#size > recordMaxBytes) this.#parts = null
    else this.#parts?.push(bytes)
  }

  #take(bytes: Buffer): JsonValue {
    this.#keep(bytes)
    const value = {
      line: this.#begun!,
      raw: this.#parts === null ? tooLong : Buffer.concat(this.#parts),
    }
    this.#begun = null
    this.#parts = []
    this.#size = 0
    return value
  }
}
