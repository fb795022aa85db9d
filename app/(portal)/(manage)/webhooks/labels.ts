import type { Tone } from '#app/ui/badge.tsx'
import { type EventType, eventTypesOf } from '#server/deals/event.ts'
import { formatSpan } from '#server/values/units.ts'
import { type EndpointKey, type EndpointKind, isUrlKind } from '#server/webhooks/delivery.ts'
import type { HealthState } from '#server/webhooks/health.ts'
import { switchOffAfterMs } from '#server/webhooks/policy.ts'
import type { EndpointHealth } from '#server/webhooks/store.ts'

/** Label of an endpoint's status with an explanation. */
interface StatusLabel {
  label: string
  tone: Tone
  text: string
}

/** Label and tone of each endpoint state. */
export const healthLabels: Record<HealthState, Omit<StatusLabel, 'text'>> = {
  untried: { label: 'Not tested', tone: 'neutral' },
  checked: { label: 'Ready', tone: 'info' },
  working: { label: 'Active', tone: 'good' },
  slowed: { label: 'Slowed', tone: 'wait' },
  failing: { label: 'Failing', tone: 'wait' },
  off: { label: 'Switched off', tone: 'bad' },
  paused: { label: 'Paused', tone: 'neutral' },
}

const texts: Record<Exclude<HealthState, 'off' | 'failing' | 'slowed'>, string> = {
  untried: 'Nothing has been sent since it was set. Send a test event to check that it arrives.',
  checked: 'The last test passed. No events have been sent since.',
  working: 'Events are arriving.',
  paused: 'The installer suspended this partner. New events are recorded, and sent once the suspension ends.',
}

const unset: StatusLabel = { label: 'Not set', tone: 'neutral', text: 'Events are recorded, not delivered.' }

/** Returns the status of an endpoint; undefined `health` means that no URL is set. */
export function endpointStatus(
  endpoint: Pick<EndpointHealth, 'health' | 'failingSince' | 'switchedOffBecause'> | undefined,
): StatusLabel {
  if (endpoint === undefined) return unset
  const { state, answer } = endpoint.health
  if (state === 'off') return { ...healthLabels.off, text: offText(endpoint.switchedOffBecause === 'gone') }
  if (state === 'failing')
    return { ...healthLabels.failing, text: failingText(endpoint.failingSince !== null) }
  if (state === 'slowed')
    return {
      ...healthLabels.slowed,
      text: `The endpoint responds with ${answer}. It gets fewer requests until it accepts more; rejected events use up no attempt.`,
    }
  return { ...healthLabels[state], text: texts[state] }
}

const offText = (isGone: boolean) =>
  `${isGone ? 'It returned 410 Gone, which asks us to stop' : `It accepted no event for ${formatSpan(switchOffAfterMs)}`}. New events are recorded, and sent once you switch it back on.`

const failingText = (hasFailedEvents: boolean) =>
  hasFailedEvents
    ? `Events are retried until they are accepted. After ${formatSpan(switchOffAfterMs)} without success, the endpoint is switched off.`
    : 'The last test failed. Correct the URL or your server, then test again.'

/** Describes the last response of an endpoint: an HTTP status, or why there was no response. */
export const answerText = (answer: string) =>
  /^\d+$/.test(answer) ? `Status ${answer}` : sentenceCase(answer)

const sentenceCase = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

/** Both endpoints in display order. */
export const kinds = ['create', 'update'] as const satisfies EndpointKind[]

/** Name, event types and REST field of each endpoint. */
export const endpointLabels: Record<
  EndpointKind,
  { label: string; event: string; field: 'createURL' | 'updateURL' }
> = {
  create: { label: 'New deals', event: eventTypesOf('create').join(', '), field: 'createURL' },
  update: { label: 'Deal updates', event: eventTypesOf('update').join(', '), field: 'updateURL' },
}

/**
 * Returns the label of an endpoint (one of the two URLs or a subscription). `name` is the subscription's
 * name, or null.
 */
export const endpointLabel = (kind: EndpointKey, name: string | null): string =>
  isUrlKind(kind) ? endpointLabels[kind].label : (name ?? 'Subscription')

/** Returns the event type of a delivery. `type` is null for test events and for events that were deleted. */
export const eventLabel = (kind: EndpointKey, type: EventType | null): string =>
  type ?? (isUrlKind(kind) ? endpointLabels[kind].event : 'event')
