import type { Happening } from '#db/demo/course.ts'
import {
  type OutstandingItem,
  afterHappening,
  whenHeld,
  whenCancelled,
  household,
  outstandingItems,
  inspectionFailures,
  inspectionRemarks,
} from '#db/demo/note-texts.ts'
import type { Random } from '#db/demo/random.ts'

/** Placeholder values of a note; a sentence with a missing one does not fit the deal. */
export interface NoteValues {
  first: string
  closer: string
  manager: string
  city: string
  utility: string
  module: string
  modules: string
  battery?: string
  lender?: string
  /** Homeowners' association that has not yet approved. */
  hoaPending?: string
  /** `Tue 3/17`, the day of the install or of the crew's return. */
  installDay?: string
  returnDay?: string
  /** `3/12`, when the permit is expected. */
  permitDay?: string
  /** Empty placeholders that only admit a sentence. */
  cash?: ''
  panelUpgrade?: ''
  tile?: ''
  beforeNtp?: ''
  applied?: ''
  inReview?: ''
}

function fill(sentence: string, words: NoteValues): string | null {
  let fits = true
  const text = sentence.replace(/\{(\w+)\}/g, (_slot, word: string) => {
    const value = words[word as keyof NoteValues]
    fits &&= value !== undefined
    return value ?? ''
  })
  return fits ? text.trim() : null
}

/** Returns the first sentence that fits, starting at a random one. */
function sentence(random: Random, sentences: readonly string[], words: NoteValues): string | null {
  const start = random.int(0, sentences.length - 1)
  for (let step = 0; step < sentences.length; step++) {
    const text = fill(sentences[(start + step) % sentences.length] as string, words)
    if (text !== null) return text
  }
  return null
}

const sentencesAfter: Partial<Record<Happening | 'held' | 'cancelled', readonly string[]>> = {
  ...afterHappening,
  held: whenHeld,
  cancelled: whenCancelled,
}

/** Returns the note of a deal after its latest step. */
export function demoNote(
  random: Random,
  last: Happening | 'held' | 'cancelled',
  words: NoteValues,
): string | null {
  const sentences = sentencesAfter[last] ?? []
  const text = sentences.length > 0 ? sentence(random, sentences, words) : null
  if (text === null || last === 'cancelled' || last === 'permissionToOperate' || random.chance(0.75))
    return text
  return `${text} ${random.pick(household).replace('{code}', String(random.int(1000, 9999)))}`
}

const reminders = [
  'Second reminder sent.',
  '{closer} following up.',
  'Promised by end of week.',
  'Blocking the next step.',
  'Left voicemail and text.',
]

/** `Outstanding: photo of the main panel label, copy of photo ID. Second reminder sent.` */
export function outstandingNote(random: Random, waiting: OutstandingItem, words: NoteValues): string {
  const items = outstandingItems[waiting].filter(
    (item) => words.hoaPending !== undefined || !item.startsWith('HOA'),
  )
  const first = random.pick(items)
  const second = random.pick(items)
  return `Outstanding: ${first === second ? first : `${first}, ${second}`}. ${sentence(random, reminders, words)}`
}

/** `Change order: homeowner wants Critter guard added, revised price to be signed.` */
export function changeNote(random: Random, adder: string): string {
  return `Change order: ${random.pick([`homeowner wants ${adder} added, revised price to be signed.`, `${adder} needed after all, pricing sent to dealer.`])}`
}

/** Returns the inspection note: the reason for a failure, otherwise occasionally a remark. */
export function inspectionNote(
  random: Random,
  failed: keyof typeof inspectionFailures | null,
): string | null {
  if (failed) return random.pick(inspectionFailures[failed])
  return random.chance(0.35) ? random.pick(inspectionRemarks) : null
}
