import { localDay, shortDate } from '#db/demo/calendar.ts'
import type { Place } from '#db/demo/home.ts'
import type { Random } from '#db/demo/random.ts'
import type { CurrentPosition, Step, Steps } from '#db/demo/steps.ts'
import type { Price, SolarSystem } from '#db/demo/system.ts'
import { table } from '#db/demo/tables.ts'

const texts = Map.groupBy(table('notes', { key: String, text: String }), ({ key }) => key)
const textsOf = (key: string) => texts.get(key)!.map(({ text }) => text)

/** The facts that a note depends on. */
interface Situation {
  home: Place
  firstName: string
  roof: SolarSystem
  cost: Price
  closerName: string
  steps: Steps
  now: CurrentPosition
  /** The latest step. */
  last: Step
}

/**
 * Returns a random note that fits the situation. Excludes templates with placeholders for which the situation
 * has no value.
 */
function noteAfter(random: Random, last: string, situation: Situation): string {
  const { home, firstName, roof, cost, closerName, steps } = situation
  const values: Record<string, string | null> = {
    first: firstName,
    closer: closerName.split(' ')[0]!,
    city: home.fields.city,
    utility: home.fields.utilityName,
    modules: roof.fields.numberOfModules,
    battery: roof.fields.battery,
    lender: cost.fields.lender,
    permitDay: dayOf(home, steps.permitSubmitted === Infinity ? null : steps.expectedPermitDeliveryDate),
    installDay: dayOf(home, steps.installedScheduled),
  }
  const fitting = textsOf(last).filter((text) =>
    [...text.matchAll(/\{(\w+)\}/g)].every(([, name]) => values[name!] !== null),
  )
  return random.pick(fitting).replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name]!)
}

const dayOf = ({ zone }: Place, at: number | null) => (at === null ? null : shortDate(localDay(zone, at)))

/**
 * Returns the note of a deal, or null. A note about an outstanding item or a change order explains that flag.
 */
export function noteOf(random: Random, situation: Situation): string | null {
  const { steps, now, last, cost } = situation
  const done = (step: Step) => steps[step] <= now.until
  if (now.state === 'held' || now.state === 'cancelled') return noteAfter(random, now.state, situation)
  const isOpen = now.state === 'open'
  if (isOpen && !done('m2Approved') && random.chance(0.14)) {
    const items = textsOf(`outstanding ${done('ntpApproved') ? 'install' : 'notice'}`)
    return `Outstanding: ${random.pick(items)}. ${random.pick(textsOf('reminders'))}`
  }
  if (isOpen && done('cadCompleted') && !done('ntpApproved') && random.chance(0.2))
    return `Change order: homeowner wants ${random.pick(cost.otherAdders)} added, revised price to be signed.`
  return random.chance(now.state === 'complete' ? 0.38 : 0.52) ? noteAfter(random, last, situation) : null
}

/** Returns the inspection note: the reason for a failure, or occasionally a remark. */
export function inspectionNote(random: Random, isFailed: boolean): string | null {
  if (isFailed) return random.pick(textsOf('failed'))
  return random.chance(0.35) ? random.pick(textsOf('inspection')) : null
}
