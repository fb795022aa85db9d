import { localDay, shortDate, shortDateWithWeekday, type ClockZone } from '#db/demo/calendar.ts'
import type { Place } from '#db/demo/home.ts'
import type { Random } from '#db/demo/random.ts'
import type { CurrentPosition, Step, Steps } from '#db/demo/steps.ts'
import type { Price, SolarSystem } from '#db/demo/system.ts'
import { grouped } from '#db/demo/tables.ts'
import type { Deal } from '#server/deals/deal.ts'
import { dayMs } from '#server/values/units.ts'

const texts = grouped('notes')

/** Values of the names in notes. Empty ones only admit a note. */
type NoteValues = Partial<Record<string, string>>

/** The facts that a note depends on. */
interface Situation {
  home: Place
  firstName: string
  roof: SolarSystem
  cost: Price
  association: string | undefined
  closerName: string
  manager: string
  steps: Steps
  now: CurrentPosition
  /** The latest step. */
  last: Step
}

function noteValues({
  home,
  firstName,
  roof,
  cost,
  association,
  closerName,
  manager,
  steps,
  now,
}: Situation): NoteValues {
  const done = (step: Step) => steps[step] <= now.until
  const dayOf = (step: Step) => shortDateWithWeekday(localDay(home.zone, steps[step]))
  return {
    first: firstName,
    closer: closerName.split(' ')[0]!,
    manager,
    city: home.city.city,
    utility: home.utilityName,
    module: roof.moduleType,
    modules: String(roof.modules),
    ...(roof.battery !== null && { battery: roof.battery }),
    ...(cost.lender === null ? { cash: '' } : { lender: cost.lender }),
    ...(cost.adders.includes('Main panel upgrade') && { panelUpgrade: '' }),
    ...(roof.roofType.includes('tile') && { tile: '' }),
    ...(association && done('cadCompleted') && !done('hoaApproved') && { hoaPending: association }),
    ...(!done('ntpRequested') && { beforeNtp: '' }),
    ...(done('engineeringCompleted') && { applied: '' }),
    ...(done('ntpRequested') && !done('ntpApproved') && { inReview: '' }),
    ...(done('permitSubmitted') && { permitDay: shortDate(steps.expectedPermitDeliveryDate / dayMs) }),
    ...(steps.reInstallScheduled !== Infinity && { returnDay: dayOf('reInstallScheduled') }),
    installDay: dayOf('installedScheduled'),
  }
}

/** Returns the first of the texts that fits, starting at a random one. */
function sentence(random: Random, of: string, values: NoteValues): string | null {
  const sentences = texts.get(of) ?? []
  if (sentences.length === 0) return null
  const start = random.int(0, sentences.length - 1)
  for (let step = 0; step < sentences.length; step++) {
    const text = sentences[(start + step) % sentences.length]!
    const names = [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
    if (names.every((name) => values[name] !== undefined))
      return text.replace(/\{(\w+)\}/g, (_, name: string) => values[name]!).trim()
  }
  return null
}

/** Returns the note after a step, or of a deal on hold or cancelled. */
function noteAfter(random: Random, last: string, values: NoteValues): string | null {
  const text = sentence(random, last, values)
  if (text === null || last === 'cancelled' || last === 'permissionToOperate' || random.chance(0.75))
    return text
  return `${text} ${random.pick(texts.get('household')!).replace('{code}', String(random.int(1000, 9999)))}`
}

/** `Outstanding: photo of the main panel label, copy of photo ID. Second reminder sent.` */
function outstandingNote(random: Random, waiting: string, values: NoteValues): string {
  const items = texts
    .get(`outstanding ${waiting}`)!
    .filter((item) => values['hoaPending'] !== undefined || !item.startsWith('HOA'))
  const [first, second] = [random.pick(items), random.pick(items)]
  return `Outstanding: ${first === second ? first : `${first}, ${second}`}. ${sentence(random, 'reminders', values)}`
}

/** Returns the note of a deal and the flags that it explains. */
export function remarks(random: Random, situation: Situation) {
  const { steps, now, last, cost } = situation
  const values = noteValues(situation)
  const done = (step: Step) => steps[step] <= now.until
  const plain = { hasOutstandingItems: false, hasChangesToAdders: false }
  if (now.state === 'held' || now.state === 'cancelled')
    return { ...plain, notes: noteAfter(random, now.state, values) }
  if (now.state === 'service') return { ...plain, notes: noteAfter(random, last, values) }
  const isOpen = now.state === 'open'
  if (isOpen && !done('m2Approved') && random.chance(0.14))
    return { ...plain, hasOutstandingItems: true, notes: outstandingNote(random, nextNeed(done), values) }
  const canChange = done('cadCompleted') && !done('permitReceived') && !done('installComplete')
  if (isOpen && canChange && random.chance(0.12)) {
    const adder = random.pick(cost.otherAdders)
    const notes = random.pick([
      `homeowner wants ${adder} added, revised price to be signed.`,
      `${adder} needed after all, pricing sent to dealer.`,
    ])
    return { ...plain, hasChangesToAdders: true, notes: `Change order: ${notes}` }
  }
  const hasNote = random.chance(now.state === 'complete' ? 0.38 : 0.52)
  return { ...plain, notes: hasNote ? noteAfter(random, last, values) : null }
}

/** Returns the step that outstanding items hold up. */
function nextNeed(done: (step: Step) => boolean): string {
  if (done('installComplete')) return 'handover'
  if (done('permitReceived')) return 'install'
  return done('ntpApproved') ? 'permit' : 'notice'
}

/** Returns the inspection note: the reason for a failure, otherwise occasionally a remark. */
export function inspectionNote(random: Random, failed: 'papers' | 'crew' | null): string | null {
  if (failed) return random.pick(texts.get(`failed ${failed}`)!)
  return random.chance(0.35) ? random.pick(texts.get('inspection')!) : null
}

/** Some coordinators start a note with date and initials: `3/4 JT: …` */
export function signed(
  random: Random,
  text: string,
  by: Deal['projectManager'],
  at: number | null,
  zone: ClockZone,
): string {
  if (by === null || at === null || random.chance(0.6)) return text
  return `${shortDate(localDay(zone, at))} ${by.firstName?.[0]}${by.lastName?.[0]}: ${text}`
}
