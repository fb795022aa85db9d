import { parseJson } from './int64.ts'

/**
 * A response with prepared JSON. REST sends the text, and the portal calls `value()`. `T` is the type of the
 * content.
 */
export class Prepared<T> {
  /** Null if the client already has the version with this entity tag. */
  readonly json: string | null
  /** Entity tag (RFC 9110, section 8.8.3) of the text: empty for the portal, null for the response to a change. */
  readonly etag: string | null
  /** HTTP status of the response. */
  readonly status: number = 200
  readonly headers: Record<string, string> = {}
  /**
   * Revision of the list in the caller's tenant, if the response stays the same as long as the list has this
   * revision. Otherwise null.
   */
  readonly revision: number | null = null
  /**
   * Position where an empty page continues, so that a request can wait for more. Null for other responses.
   */
  readonly emptyUpTo: number | null = null

  constructor(
    json: string | null,
    etag: string | null = '',
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
