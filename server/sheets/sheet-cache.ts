import { LRUCache } from 'lru-cache'
import type { Caller } from '../admission/admission.ts'
import { withTimeout } from '../admission/scheduling.ts'
import { Slots } from '../admission/slots.ts'
import { ApiError, unavailable } from '../errors.ts'
import { hourMs, minuteMs, secondMs } from '../values/units.ts'
import type { SheetCsv } from './write-csv.ts'

/** Maximum time that a request waits for a computation. */
const waitMaxMs = 12 * secondMs

/** Maximum time that a computation waits for earlier computations. */
const queueMaxMs = 10 * minuteMs

/** Size of an entry in addition to its text. */
const overheadBytes = 1000

/** The result of a computation and when the computation began. */
type Entry = { atMs: number } & ({ csv: SheetCsv } | { problem: ApiError })

/**
 * Caches the CSVs of sheets. A CSV is computed at most once a minute. Computations run one at a time, fairly
 * across callers. A request that waits too long gets the previous CSV.
 */
export class SheetCache {
  readonly #entries: LRUCache<number, Entry>
  readonly #underway = new Map<number, Promise<Entry>>()
  readonly #slots = new Slots({ atOnce: 1, waitingPerMember: 100, waitingInAll: 1000 })
  readonly #nowMs: () => number
  readonly #waitMaxMs: number

  /** @param maxBytes maximum total size of all CSVs */
  constructor(maxBytes: number, nowMs: () => number = Date.now, waitMs = waitMaxMs) {
    this.#entries = new LRUCache({ maxSize: maxBytes, sizeCalculation: sizeOf, ttl: hourMs })
    this.#nowMs = nowMs
    this.#waitMaxMs = waitMs
  }

  /**
   * Returns the CSV of a sheet, computed within the last minute. If the computation takes too long, returns
   * the previous CSV.
   * @throws ApiError that of `compute`; 503 if it takes too long and there is no earlier one
   */
  async read(sheetId: number, caller: Caller, compute: () => Promise<SheetCsv>): Promise<SheetCsv> {
    const last = this.#entries.get(sheetId)
    if (last !== undefined && this.#nowMs() - last.atMs < minuteMs) return csvOf(last)
    const computing = this.#computeOnce(sheetId, caller, compute)
    // Avoids an unhandled rejection if nobody is awaiting the computation anymore.
    computing.catch(() => {})
    const late = () => {
      if (last === undefined) throw unavailable()
      return last
    }
    return csvOf(await withTimeout(computing, this.#waitMaxMs, late))
  }

  #computeOnce(sheetId: number, caller: Caller, compute: () => Promise<SheetCsv>): Promise<Entry> {
    let computing = this.#underway.get(sheetId)
    if (computing === undefined) {
      computing = this.#slots
        .run(caller, () => this.#compute(sheetId, compute), { waitMaxMs: queueMaxMs })
        .finally(() => this.#underway.delete(sheetId))
      this.#underway.set(sheetId, computing)
    }
    return computing
  }

  async #compute(sheetId: number, compute: () => Promise<SheetCsv>): Promise<Entry> {
    const atMs = this.#nowMs()
    const entry = await compute().then(
      (csv) => ({ atMs, csv }),
      (problem: unknown) => {
        // The next CSV would be too large again, while other failures may be over in a second.
        if (problem instanceof ApiError && problem.code === 'PAYLOAD_TOO_LARGE') return { atMs, problem }
        throw problem
      },
    )
    this.#entries.set(sheetId, entry)
    return entry
  }
}

const sizeOf = (entry: Entry) => overheadBytes + ('csv' in entry ? entry.csv.gzipped.length : 0)

function csvOf(entry: Entry): SheetCsv {
  if ('problem' in entry) throw entry.problem
  return entry.csv
}
