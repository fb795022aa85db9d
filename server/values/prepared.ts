import { parseJson } from './int64.ts'

/**
 * A response with prepared JSON: REST sends the text, the portal reads `value()`. `T` is the type of its
 * content.
 */
export class Prepared<T> {
  /** Null if the client already has the version with this entity tag. */
  readonly json: string | null
  /** Entity tag (RFC 9110, section 8.8.3) of the text; null for the response to a change. */
  readonly etag: string | null
  /** The status of the response. */
  readonly status: number = 200
  /** Headers of the response. */
  readonly headers: Record<string, string> = {}
  /**
   * The revision of the list in the caller's tenant, if the same call returns the same response while the
   * list has it; otherwise null.
   */
  readonly revision: number | null = null
  /** Where an empty page continues, so that a request can wait for more; null for other responses. */
  readonly emptyUpTo: number | null = null

  constructor(
    json: string | null,
    etag: string | null,
    details: Partial<Pick<Prepared<unknown>, 'status' | 'headers' | 'revision' | 'emptyUpTo'>> = {},
  ) {
    this.json = json
    this.etag = etag
    Object.assign(this, details)
  }

  value(): T {
    return parseJson(this.json ?? 'null') as T
  }
}
