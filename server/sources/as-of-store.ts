import type { Database } from '#db/client.ts'
import type { Background } from '../admission/background.ts'
import { outsideRequest } from '../admission/slots.ts'

/**
 * Returns the time up to which all sources have been read, or null if there is no source.
 * @system every response
 */
export async function readAsOf({ $client: sql }: Database): Promise<Date | null> {
  const [{ asOf }] = await sql<[{ asOf: string | null }]>`
    select min(coalesce(as_of, created_at)) as "asOf" from sources where connected_at is not null`
  return asOf === null ? null : new Date(asOf)
}

interface SourceHealth {
  count: number
  failing: number
  incomplete: number
  lagS: number
}

/** Returns the number of sources that are read, their problems and lag. @system operators and metrics */
export async function readSourceHealth({ $client: sql }: Database): Promise<SourceHealth> {
  const [row] = await sql<[SourceHealth]>`
    select count(*)::integer as count, (count(*) filter (where failing_since is not null))::integer as failing,
      (count(*) filter (where missing_properties <> '{}'))::integer as incomplete,
      coalesce(max(extract(epoch from clock_timestamp() - coalesce(as_of, created_at))), 0)::float8 as "lagS"
    from sources where paused_at is null and connected_at is not null`
  return row
}

const rememberedMs = 5000

/** Caches the time up to which all sources have been read, so that responses do not need their own query. */
export class AsOfRecorder {
  readonly #db: Database
  readonly #background: Background
  #asOf: Date | null | undefined
  #readAt = -Infinity

  constructor(db: Database, background: Background) {
    this.#db = db
    this.#background = background
  }

  /**
   * Returns the time up to which all sources have been read, or null if there is no source. Only the first
   * call queries the database.
   */
  async get(): Promise<Date | null> {
    const now = performance.now()
    if (now - this.#readAt > rememberedMs) {
      this.#readAt = now
      if (this.#asOf === undefined) return this.#read()
      this.#background('data as of', '', () => this.#read())
    }
    return this.#asOf ?? null
  }

  async #read(): Promise<Date | null> {
    this.#asOf = await outsideRequest(() => readAsOf(this.#db))
    return this.#asOf
  }
}
