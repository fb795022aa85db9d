import { parseJson } from './int64.ts'

/**
 * An answer whose JSON is made already: REST sends the text as it is, the portal reads `value()`.
 * `T` is what the text says.
 */
export class Prepared<T> {
  /** Null when the asker holds what carries this entity tag, and need not be sent it again. */
  readonly json: string | null
  /** Entity tag (RFC 9110, section 8.8.3) of the text. */
  readonly etag: string
  /** Header fields that belong to the answer. */
  readonly headers: Record<string, string>

  constructor(json: string | null, etag: string, headers: Record<string, string> = {}) {
    this.json = json
    this.etag = etag
    this.headers = headers
  }

  value(): T {
    return parseJson(this.json ?? 'null') as T
  }
}
