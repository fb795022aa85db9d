import type { Tone } from '#app/ui/badge.tsx'
import { formatSpan } from '#server/protocol/units.ts'
import { switchOffAfterMs } from '#server/webhooks/policy.ts'
import type { EndpointHealth } from '#server/webhooks/store.ts'

/** The columns of an endpoint that decide its status. */
export type Health = Pick<
  EndpointHealth,
  'failingSince' | 'switchedOffAt' | 'switchedOffBecause' | 'lastSuccessAt'
>

/** The status of an endpoint: a label and a sentence that explains it. */
export interface EndpointStatus {
  label: string
  tone: Tone
  text: string
  /** When it began to fail; null unless it is failing. */
  failingSince: Date | null
  /** Null unless it is switched off. */
  switchedOffAt: Date | null
}

const switchedOff: Record<NonNullable<Health['switchedOffBecause']>, string> = {
  gone: 'It returned 410 Gone, which asks us to stop. New events are recorded, and sent once you switch it back on.',
  failing: `It accepted no event for ${formatSpan(switchOffAfterMs)}. New events are recorded, and sent once you switch it back on.`,
  suspended:
    'The installer suspended this partner. New events are recorded, and sent once the suspension ends.',
}

const none = { failingSince: null, switchedOffAt: null }

/** Returns the status of an endpoint; undefined means that no URL is set. */
export function endpointStatus(health: Health | undefined): EndpointStatus {
  if (health === undefined)
    return { label: 'Not set', tone: 'neutral', text: 'Events are recorded, not delivered.', ...none }
  const { switchedOffAt, switchedOffBecause, failingSince, lastSuccessAt } = health
  if (switchedOffBecause !== null)
    return {
      label: 'Switched off',
      tone: 'bad',
      text: switchedOff[switchedOffBecause],
      failingSince: null,
      switchedOffAt,
    }
  if (failingSince !== null)
    return {
      label: 'Failing',
      tone: 'wait',
      text: `Events are retried until they are accepted. After ${formatSpan(switchOffAfterMs)} without success, the endpoint is switched off.`,
      failingSince,
      switchedOffAt: null,
    }
  if (lastSuccessAt === null)
    return {
      label: 'Ready',
      tone: 'info',
      text: 'No events yet. Send a test event to check that it arrives.',
      ...none,
    }
  return { label: 'Active', tone: 'good', text: 'Events are arriving.', ...none }
}
