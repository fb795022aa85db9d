import { Clock, localDay, shortDate, shortDateWithWeekday, type ClockZone } from '#db/demo/calendar.ts'
import type { Course, Happening, CurrentPosition } from '#db/demo/course.ts'
import type { OutstandingItem } from '#db/demo/note-texts.ts'
import { changeNote, demoNote, outstandingNote, type NoteValues } from '#db/demo/notes.ts'
import type { Place } from '#db/demo/places.ts'
import type { Price } from '#db/demo/price.ts'
import type { Random } from '#db/demo/random.ts'
import type { SolarSystem } from '#db/demo/system.ts'
import type { Deal } from '#server/deals/deal.ts'
import { dayMs } from '#server/values/units.ts'

export function recordValues(
  home: Place,
  first: string,
  roof: SolarSystem,
  cost: Price,
  closer: string,
  manager: string,
): NoteValues {
  return {
    first,
    closer: closer.split(' ')[0] as string,
    manager,
    city: home.city.city,
    utility: home.utilityName,
    module: roof.moduleType,
    modules: String(roof.modules),
    ...(roof.battery !== null && { battery: roof.battery }),
    ...(cost.lender === null ? { cash: '' } : { lender: cost.lender }),
    ...(cost.adders.includes('Main panel upgrade') && { panelUpgrade: '' }),
    ...(roof.roofType.includes('tile') && { tile: '' }),
  }
}

export function addSituation(
  words: NoteValues,
  life: Course,
  now: CurrentPosition,
  zone: ClockZone,
  association: string | undefined,
): void {
  const done = (happening: Happening) => life[happening] <= now.until
  if (association && done('cadCompleted') && !done('hoaApproved')) words.hoaPending = association
  if (!done('ntpRequested')) words.beforeNtp = ''
  if (done('engineeringCompleted')) words.applied = ''
  if (done('ntpRequested') && !done('ntpApproved')) words.inReview = ''
  if (done('permitSubmitted')) words.permitDay = shortDate(life.expectedPermitDeliveryDate / dayMs)
  if (life.reInstallScheduled !== Infinity)
    words.returnDay = shortDateWithWeekday(localDay(zone, life.reInstallScheduled))
  words.installDay = shortDateWithWeekday(localDay(zone, life.installedScheduled))
}

interface Situation {
  life: Course
  now: CurrentPosition
  last: Happening
  words: NoteValues
  otherAdders: readonly string[]
}

/** Returns the note of a deal and the flags that it explains. */
export function remarks(random: Random, { life, now, last, words, otherAdders }: Situation) {
  const done = (happening: Happening) => life[happening] <= now.until
  const plain = { hasOutstandingItems: false, hasChangesToAdders: false }
  if (now.state === 'held' || now.state === 'cancelled')
    return { ...plain, notes: demoNote(random, now.state, words) }
  if (now.state === 'service') return { ...plain, notes: demoNote(random, last, words) }
  if (now.state === 'open' && !done('m2Approved') && random.chance(0.14)) {
    const notes = outstandingNote(random, nextNeed(done), words)
    return { ...plain, hasOutstandingItems: true, notes }
  }
  if (
    now.state === 'open' &&
    done('cadCompleted') &&
    !done('permitReceived') &&
    !done('installComplete') &&
    random.chance(0.12)
  ) {
    return { ...plain, hasChangesToAdders: true, notes: changeNote(random, random.pick(otherAdders)) }
  }
  return {
    ...plain,
    notes: random.chance(now.state === 'complete' ? 0.38 : 0.52) ? demoNote(random, last, words) : null,
  }
}

/** Returns the step that outstanding items hold up. */
function nextNeed(done: (happening: Happening) => boolean): OutstandingItem {
  if (done('installComplete')) return 'handover'
  if (done('permitReceived')) return 'install'
  return done('ntpApproved') ? 'permit' : 'notice'
}

interface Attention {
  today: number
  /** The time of the latest step. */
  since: number
  /** The next appointment, before which the deal is reviewed. */
  nextBy: number
  hasNotes: boolean
  isActive: boolean
}

/**
 * Returns when the note was written, when the deal is reviewed next, and when it was last modified; all in
 * milliseconds.
 */
export function activity(
  random: Random,
  zone: ClockZone,
  { today, since, nextBy, hasNotes, isActive }: Attention,
) {
  const notLater = (at: number, fallback: number) => (at <= today ? at : fallback)
  const notesLastUpdated = hasNotes ? notLater(new Clock(random, zone, since).later(0, 5), since) : null
  const touched = notesLastUpdated ?? since
  return {
    notesLastUpdated,
    notesNextActivityDate:
      hasNotes && isActive ? Math.min(new Clock(random, zone, today).visit(2, 10), nextBy) : null,
    lastModified: random.chance(0.5)
      ? notLater(new Clock(random, zone, touched).later(0, 12), touched)
      : touched,
  }
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
