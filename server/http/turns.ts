import type { ServerResponse } from 'node:http'
import { poolSize } from '#db/client.ts'
import { unavailable } from '../protocol/errors.ts'

/** Enough for every database connection to have its next request at hand. */
const underwayMax = poolSize * 32

/** A client that is refused hears of it within a second. */
const patienceMs = 900

// Each holds its connection and some kilobytes.
const waitingMax = 4000

/**
 * Lets a bounded number of requests be worked on at once. The others wait for their turn, first come, first served: a
 * burst is answered a little later, rather than refused and sent again at once, which takes more time than it saves.
 */
export class Turns {
  #underway = 0
  /** What gives each waiting request its turn, in the order in which they came. */
  readonly #waiting = new Set<() => void>()
  readonly #patienceMs: number

  constructor(ms = patienceMs) {
    this.#patienceMs = ms
  }

  /**
   * Resolves when it is the request's turn, with what ends it; the caller must call that once.
   * @throws Refusal 503 when the turn does not come within a second, the client is gone, or too many wait
   */
  async take(response: ServerResponse): Promise<() => void> {
    if (this.#underway >= underwayMax) await this.#wait(response)
    else this.#underway++
    return () => {
      const [next] = this.#waiting
      // The turn passes on, so that nobody who comes meanwhile gets in between.
      if (next === undefined) this.#underway--
      else next()
    }
  }

  #wait(response: ServerResponse): Promise<void> {
    if (this.#waiting.size >= waitingMax) throw unavailable()
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        response.off('close', refuse)
        this.#waiting.delete(start)
      }
      const start = () => {
        leave()
        resolve()
      }
      const refuse = () => {
        leave()
        reject(unavailable())
      }
      const timer = setTimeout(refuse, this.#patienceMs)
      response.once('close', refuse)
      this.#waiting.add(start)
    })
  }
}
