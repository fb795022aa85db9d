import type { Tone } from '#app/ui/badge.tsx'
import type { EndpointHealth } from '#server/webhooks/store.ts'

/** What of an address says how it does. */
export type Health = Pick<
  EndpointHealth,
  'failingSince' | 'switchedOffAt' | 'switchedOffBecause' | 'lastSuccessAt'
>

/** How an address does: in a word, and in a sentence that says what comes of it. */
export interface Condition {
  label: string
  tone: Tone
  text: string
  /** Since when; null when that says nothing. */
  since: Date | null
}

const switchedOff: Record<NonNullable<Health['switchedOffBecause']>, string> = {
  gone: 'It answered an event with 410, which says that it wants no more of them. What happens meanwhile is kept, and sent when the address is on again.',
  failing:
    'It has accepted no event for five days. What happens meanwhile is kept, and sent when the address is on again.',
  suspended:
    'The installer has suspended the partner. What happens meanwhile is kept, and sent when the installer ends that.',
}

/** How an address does; undefined: none is set. */
export function conditionOf(health: Health | undefined): Condition {
  if (health === undefined)
    return {
      label: 'Not set',
      tone: 'neutral',
      text: 'These events are kept, and sent nowhere.',
      since: null,
    }
  const { switchedOffAt, switchedOffBecause, failingSince, lastSuccessAt } = health
  if (switchedOffBecause !== null)
    return { label: 'Switched off', tone: 'bad', text: switchedOff[switchedOffBecause], since: switchedOffAt }
  if (failingSince !== null)
    return {
      label: 'Failing',
      tone: 'wait',
      text: 'Events come again and again until they are accepted. If none is for five days, the address is switched off.',
      since: failingSince,
    }
  if (lastSuccessAt === null)
    return {
      label: 'Ready',
      tone: 'info',
      text: 'No event has come up for it yet. Send a test to see whether it arrives.',
      since: null,
    }
  return { label: 'Working', tone: 'good', text: 'Events arrive.', since: null }
}
