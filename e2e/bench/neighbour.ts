import { Agent, request } from 'node:http'

// The other partner, in its own process: calls the system moderately. Its argument is a `Visit` as JSON; it
// prints `Visits` as JSON.

/** The calls of the other partner. */
export type CallKind = 'list' | 'export' | 'file'

/** The URLs called in turn, and how often. */
export interface Calling {
  urls: string[]
  headers: Record<string, string>
  everyMs: number
  /** Waits for the last call to end, like a person. */
  isOneAtATime?: boolean
}

/** The paths to call, and for how long. */
export interface Visit {
  kinds: Record<string, Calling>
  seconds: number
}

/** The results of calls. */
interface Called {
  /** The time of each until its last byte, even if it was refused. */
  ms: number[]
  /** The status or error code of calls without a 200. */
  refused: (number | string)[]
}

/** The results of a visit, by kind of call. */
export type Visits = Record<string, Called>

const timeoutMs = 30_000

/** Requests a URL and reads the response. Returns its status, or the error. */
function ask(agent: Agent, url: string, headers: Record<string, string>): Promise<number | string> {
  return new Promise((resolve) => {
    const fail = (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message)
    request(url, { agent, headers, signal: AbortSignal.timeout(timeoutMs) }, (response) => {
      response
        .resume()
        .once('error', fail)
        .once('end', () => resolve(response.statusCode!))
    })
      .once('error', fail)
      .end()
  })
}

/**
 * Calls at a steady pace, however long responses take: a caller that waits for each response sees few of the
 * slow ones.
 */
async function call(
  { urls, headers, everyMs, isOneAtATime = false }: Calling,
  seconds: number,
  agent: Agent,
): Promise<Called> {
  const calls: Called = { ms: [], refused: [] }
  const underway = new Set<Promise<void>>()
  let count = 0
  const next = () => {
    if (isOneAtATime && underway.size > 0) return
    const began = performance.now()
    const asked = ask(agent, urls[count++ % urls.length]!, headers).then((status) => {
      calls.ms.push(performance.now() - began)
      if (status !== 200) calls.refused.push(status)
      underway.delete(asked)
    })
    underway.add(asked)
  }
  const timer = setInterval(next, everyMs)
  await new Promise((resolve) => void setTimeout(resolve, seconds * 1000))
  clearInterval(timer)
  await Promise.all(underway)
  return calls
}

const { kinds, seconds } = JSON.parse(process.argv[2]!) as Visit
const agent = new Agent({ keepAlive: true })
const results = await Promise.all(
  Object.entries(kinds).map(async ([name, kind]) => [name, await call(kind, seconds, agent)] as const),
)
agent.destroy()
process.stdout.write(JSON.stringify(Object.fromEntries(results)))
