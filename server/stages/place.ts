// The stage determines first what a deal waits for: dates show what has happened, never that nothing is left.

/** The consecutive steps of a deal; an open deal waits for one of them. */
export const sequentialSteps = [
  'survey',
  'cad',
  'engineering',
  'ntp',
  'permitSubmission',
  'permit',
  'install',
  'inspection',
  'funding',
  'm2',
  'payment',
] as const
export type SequentialStep = (typeof sequentialSteps)[number]

/** A step that a deal can wait for: a process step, or HOA approval in parallel. */
export type AwaitedStep = SequentialStep | 'hoa'

/**
 * The possible places of a stage and what its deals wait for there. Of two steps, the first applies unless it
 * is done or not needed.
 */
export const stagePlaces = {
  survey: ['survey'],
  cad: ['cad'],
  engineering: ['engineering'],
  ntp: ['ntp'],
  ntpApproved: ['permitSubmission', 'install'],
  hoa: ['hoa'],
  permitSubmission: ['permitSubmission'],
  permit: ['permit'],
  install: ['install'],
  installed: ['inspection', 'funding'],
  inspection: ['inspection'],
  funding: ['funding'],
  m2: ['m2'],
  pto: ['m2', 'payment'],
  payment: ['payment'],
} as const satisfies Record<string, readonly AwaitedStep[]>
export type StagePlace = keyof typeof stagePlaces

export const placeNames = Object.keys(stagePlaces) as StagePlace[]

/** Returns a step's index in the process. */
export const indexOfStep = (step: SequentialStep) => sequentialSteps.indexOf(step)

const isOver =
  /\b(?:completed?|done|finished|approved|received|granted|issued|passed|signed|in hand|back from)\b/i

/** The words for each step, from the last step on, with the places before and after it is done. */
const placesByWords: readonly [words: RegExp, before: StagePlace, after: StagePlace][] = [
  [/\bm ?2\b|\bmilestone 2\b|second (?:payment|milestone)/i, 'm2', 'payment'],
  [/\bpto\b|permission to operate/i, 'pto', 'payment'],
  [/\bfund(?:ing|s)? (?:submitted|requested|review|pending)\b/i, 'm2', 'payment'],
  [/\bfund/i, 'funding', 'payment'],
  [/inspect/i, 'inspection', 'funding'],
  [/\binstall(?:ed)\b/i, 'installed', 'installed'],
  [/install|construct|\bbuild|crew/i, 'install', 'installed'],
  [
    /\bpermit(?:s|ting)? (?:prep|preparation|packet|design|to submit|needed|not submitted|queue)/i,
    'permitSubmission',
    'permit',
  ],
  [/\bpermit/i, 'permit', 'install'],
  [/\bhoa\b|homeowners.? association/i, 'hoa', 'ntpApproved'],
  [/\bntp\b|notice to proceed/i, 'ntp', 'ntpApproved'],
  [/engineer/i, 'engineering', 'ntp'],
  [/\bcad\b|design|plan ?set/i, 'cad', 'engineering'],
  [/survey|site (?:visit|audit|assessment)/i, 'survey', 'cad'],
]

const longestName = 200

/** Returns the name of a stage without the dots between initials: `P.T.O.` is `PTO.`. */
export const joinInitials = (name: string) => name.replaceAll(/\.(?=\w\b)/g, '')

/** Returns the place implied by an open stage's name; null if there is none. */
export function placeOfWords(name: string): StagePlace | null {
  const words = joinInitials(name.slice(0, longestName)).replaceAll(/[\W_]+/g, ' ')
  const found = placesByWords.find(([pattern]) => pattern.test(words))
  if (found === undefined) return null
  const [, before, after] = found
  return isOver.test(words) && !/\b(?:not|to be|ready|waiting|awaiting|pending)\b/i.test(words)
    ? after
    : before
}
