import type { IncomingMessage, ServerResponse } from 'node:http'
import { listenTo } from '#db/listen.ts'
import { type Actor, actorOfSession, callerOf } from '../access/actor.ts'
import { type TenantScope, ownerOf } from '../accounts/partner.ts'
import { findSessions } from '../accounts/session-store.ts'
import type { Shares } from '../admission/admission.ts'
import { oneAtATime } from '../admission/scheduling.ts'
import { ApiError, methodNotAllowed, unavailable } from '../errors.ts'
import { type Changes, addChanges, areNone, messageWithin, noChanges, parsePayload } from '../live/change.ts'
import { streamsPerUser } from '../live/policy.ts'
import { liveChannel } from '../live/store.ts'
import { type LiveMessage, pingMs, streamEvents } from '../live/wire.ts'
import type { Services } from '../runtime/services.ts'
import { minuteMs } from '../values/units.ts'
import { sessionOfRequest } from './admit-request.ts'
import { EventWaits } from './event-waits.ts'

/** Notifies open pages of changes. */
export interface Live {
  /**
   * Responds with a stream of changes to the data that the signed-in user can see.
   * @throws ApiError 401, 405, or 503 if there are too many streams or changes cannot be received
   */
  answer(request: IncomingMessage, response: ServerResponse, target: { search: string }): Promise<void>
  /** Requests of the REST API that are waiting for events. */
  waits: EventWaits
  /** Returns the number of open streams. */
  count(): number
  /** Ends all streams, and stops listening for changes. */
  stop(): Promise<void>
}

/** Minimum time between two messages to the same page. */
const gapMs = 1000

/** How long changes are collected before they are sent in one message. */
const gatherMs = 100

/** Interval between checks of all sessions. */
const checkMs = 3000

/** How long sessions count as valid while the database is unavailable. */
const uncheckedMs = 30_000

/** How long changes are kept for pages that connect after their data was read. */
const keptMs = minuteMs

interface Stream {
  response: ServerResponse
  actor: Actor
}

/** Starts listening for changes. */
export function startLive(services: Services): Live {
  const { db, log, replica } = services
  const streams = new Set<Stream>()
  const waits = new EventWaits()
  const recent = makeRecent()
  const flushing = makeFlushing((changes) => send(streams, changes))
  let isListening = false
  let isStopping = false
  const hearing = listenTo(db, [liveChannel], {
    onMessage(payload) {
      const changes = parsePayload(payload)
      replica?.changed(changes.deals.keys())
      waits.changed(changes.deals.keys())
      recent.add(changes)
      flushing.add(changes)
    },
    onListening() {
      replica?.hearing(true)
      waits.listen(true)
      recent.restart()
      isListening = true
    },
    onLost() {
      replica?.hearing(false)
      waits.listen(false)
      isListening = false
      log.warn('live change listener disconnected')
      // Changes may have been missed. Pages reconnect when changes are received again, and then reload their
      // data.
      endAll(streams)
    },
  })
  const pinging = setInterval(() => pingAll(streams), pingMs)
  const checking = startChecking(services, streams)

  function requireRoom(): void {
    if (isStopping || !isListening) throw unavailable()
  }

  return {
    async answer(request, response, { search }) {
      if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed('GET, HEAD')
      requireRoom()
      const session = await sessionOfRequest(services, request)
      if (session === undefined) throw new ApiError('UNAUTHORIZED', 'Sign in first')
      requireRoom()
      if (response.closed) return
      if (request.method === 'HEAD') return void response.writeHead(200, streamHeaders).end()
      const missed = recent.within(ageIn(search))
      openStream(services.admission.streams, streams, { response, actor: actorOfSession(session) }, missed)
    },
    waits,
    count: () => streams.size,
    async stop() {
      isStopping = true
      waits.listen(false)
      clearInterval(pinging)
      checking.stop()
      flushing.stop()
      endAll(streams)
      await hearing.stop()
    },
  }
}

/**
 * Opens a stream to a page. First sends `missed`, the changes since the page's data was read, or `stale` if
 * `missed` is null because some may be unknown.
 * @throws ApiError 503 if there are too many streams
 */
function openStream(shares: Shares, streams: Set<Stream>, stream: Stream, missed: Changes | null): void {
  const { response, actor } = stream
  const release = shares.take(callerOf(actor), { ofMember: unavailable, ofAll: unavailable })
  response.writeHead(200, streamHeaders)
  endOldest(streams, actor.user!.id)
  streams.add(stream)
  response.once('close', () => {
    streams.delete(stream)
    release()
  })
  const text =
    missed === null
      ? eventText(streamEvents.stale)
      : textOf(messageWithin(missed, actor.tenant, actor.user!.id))
  write(response, (text ?? '') + eventText(streamEvents.ready))
}

/** Returns the age of the page's data in milliseconds, or 0 if the query has none. */
function ageIn(search: string): number {
  const age = new URLSearchParams(search).get('age') ?? ''
  return /^\d{1,15}$/.test(age) ? Number(age) : 0
}

function pingAll(streams: ReadonlySet<Stream>): void {
  for (const { response } of streams) write(response, eventText(streamEvents.ping))
}

/**
 * Keeps recent changes, merging those within `gapMs` of each other. Leaves out the ids of deals, because a page
 * may already show some of their changes.
 */
function makeRecent() {
  let completeSince = Infinity
  let recent: { firstAt: number; lastAt: number; changes: Changes }[] = []
  return {
    add(changes: Changes): void {
      const now = performance.now()
      let last = recent.at(-1)
      if (last === undefined || now - last.firstAt > gapMs) {
        last = { firstAt: now, lastAt: now, changes: noChanges() }
        recent = [...recent.filter(({ lastAt }) => now - lastAt < keptMs), last]
      }
      last.lastAt = now
      const deals = new Map([...changes.deals.keys()].map((partnerId) => [partnerId, null]))
      addChanges(last.changes, { ...changes, deals })
    },
    /** Starts again after changes may have been missed. */
    restart(): void {
      completeSince = performance.now()
      recent = []
    },
    /** Returns the changes of the last `ageMs` milliseconds, or null if they are not all kept. */
    within(ageMs: number): Changes | null {
      const since = performance.now() - ageMs
      if (ageMs > keptMs || since < completeSince) return null
      const merged = noChanges()
      for (const { lastAt, changes } of recent) if (lastAt >= since) addChanges(merged, changes)
      return merged
    },
  }
}

const streamHeaders = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store, no-transform',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
  // Without this header, nginx would buffer the response.
  'X-Accel-Buffering': 'no',
}

const eventText = (name: string) => `event: ${name}\ndata:\n\n`

/** Writes to a stream. Ends the stream if the client reads too slowly; the page then reconnects. */
function write(response: ServerResponse, text: string): void {
  if (response.writableNeedDrain) response.destroy()
  else response.write(text)
}

/** Sends each stream the changes that concern its tenant and its user. */
function send(streams: ReadonlySet<Stream>, changes: Changes): void {
  const texts = new Map<TenantScope, string | null>()
  for (const { response, actor } of streams) {
    const userId = actor.user!.id
    let text = texts.get(actor.tenant)
    if (changes.notifications.has(userId)) text = textOf(messageWithin(changes, actor.tenant, userId))
    else if (text === undefined) {
      text = textOf(messageWithin(changes, actor.tenant))
      texts.set(actor.tenant, text)
    }
    if (text !== null) write(response, text)
  }
}

const textOf = (message: LiveMessage | null) => message && `data: ${JSON.stringify(message)}\n\n`

/** Collects changes and passes them on in batches. */
function makeFlushing(pass: (changes: Changes) => void) {
  let gathered = noChanges()
  let timer: NodeJS.Timeout | undefined
  let lastAt = -Infinity
  function flush(): void {
    timer = undefined
    lastAt = performance.now()
    const changes = gathered
    gathered = noChanges()
    pass(changes)
  }
  return {
    add(changes: Changes): void {
      addChanges(gathered, changes)
      if (areNone(gathered)) return
      timer ??= setTimeout(flush, Math.max(gatherMs, lastAt + gapMs - performance.now()))
    },
    stop: () => clearTimeout(timer),
  }
}

/** Regularly ends streams whose session has ended, or whose user has changed role or partner. */
function startChecking({ db }: Pick<Services, 'db'>, streams: ReadonlySet<Stream>) {
  let checkedAt = performance.now()
  const check = oneAtATime(async () => {
    const checked = [...streams]
    const sessions =
      checked.length === 0 ? null : await findSessions(db, [...new Set(checked.map(sessionOf))])
    for (const stream of checked) {
      const user = sessions?.get(sessionOf(stream))?.user
      if (user?.role !== stream.actor.user?.role || user?.partnerId !== ownerOf(stream.actor.tenant))
        stream.response.end()
    }
    checkedAt = performance.now()
  })
  const timer = setInterval(() => {
    if (performance.now() - checkedAt > uncheckedMs) endAll(streams)
    // If a check fails, the next check follows soon.
    void check().catch(() => {})
  }, checkMs)
  return { stop: () => clearInterval(timer) }
}

const sessionOf = ({ actor }: Stream) => actor.user!.sessionHash

function endAll(streams: ReadonlySet<Stream>): void {
  for (const { response } of streams) response.end()
}

/** Ends a user's oldest streams beyond the limit, and tells these pages the reason. */
function endOldest(streams: Set<Stream>, userId: number): void {
  const own = [...streams].filter(({ actor }) => actor.user!.id === userId)
  for (const stream of own.slice(0, Math.max(0, own.length + 1 - streamsPerUser))) {
    streams.delete(stream)
    stream.response.end(eventText(streamEvents.full))
  }
}
