import type { ServerResponse } from 'node:http'
import { type Actor, isInternal } from '../access/actor.ts'
import { waitMaxS } from '../deals/policy.ts'
import { Prepared } from '../values/prepared.ts'
import { secondMs } from '../values/units.ts'
import type { EventWaits } from './event-waits.ts'
import type { CachedResponse } from './response-cache.ts'
import { type Coding, render } from './rest-answer.ts'

/**
 * Returns how long a request may wait for events, in milliseconds, or 0 for a value that the procedure
 * rejects.
 */
export function waitMsOf({ path, search }: { path: string; search: string }): number {
  if (path !== '/api/events') return 0
  const [text = '', ...others] = new URLSearchParams(search).getAll('wait')
  const seconds = /^\d+$/.test(text) && others.length === 0 ? Number(text) : 0
  return seconds <= waitMaxS ? seconds * secondMs : 0
}

type Input = Record<string, unknown>

/** A page of events that several requests share. Rendered only once per compression. */
class SharedPage {
  readonly page: unknown
  readonly #rendered = new Map<Coding | null, Promise<CachedResponse>>()

  constructor(page: unknown) {
    this.page = page
  }

  render(coding: Coding | null): Promise<CachedResponse> {
    const rendered = this.#rendered.get(coding) ?? render(this.page, coding)
    this.#rendered.set(coding, rendered)
    return rendered
  }
}

interface WaitingRequest {
  actor: Actor & { tokenId: number }
  response: ServerResponse
  waitMs: number
  input: Input
  coding: Coding | null
  read: (input: Input) => Promise<unknown>
}

/**
 * Returns a page of events as soon as there are events. Returns an empty page when the time is over, the
 * client disconnects or the process shuts down.
 */
export async function waitForEvents(
  waits: EventWaits,
  { actor, response, waitMs, input: { wait: _wait, ...input }, coding, read }: WaitingRequest,
): Promise<CachedResponse> {
  if (isInternal(actor)) return render(await read(input), coding)
  const endsAt = performance.now() + waitMs
  // The wait starts before the first read, so that no change is missed.
  const wait = waits.begin(actor.tenant as number, actor.tokenId)
  const end = () => wait.end()
  response.once('close', end)
  try {
    for (let from = input; ;) {
      const shared = await waits.read(
        wait.partnerId,
        JSON.stringify(from),
        async () => new SharedPage(await read(from)),
      )
      const emptyUpTo = shared.page instanceof Prepared ? shared.page.emptyUpTo : null
      const isOver = emptyUpTo === null || !(await wait.isChangedWithin(endsAt - performance.now()))
      if (isOver) return await shared.render(coding)
      from = { ...input, after: String(emptyUpTo) }
    }
  } finally {
    response.off('close', end)
    end()
  }
}
