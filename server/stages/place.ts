// A deal's stage takes precedence over its dates in determining the next step, because dates show what has
// happened but not that nothing is left to do.

/** The consecutive steps of a deal. An open deal waits for one of these steps. */
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

/** A step that a deal can wait for: a step of the process, or HOA approval, which runs in parallel. */
export type AwaitedStep = SequentialStep | 'hoa'

/**
 * The possible positions of a stage in the process, with the steps that its deals wait for. If there are two
 * steps, the first applies unless it is completed or not needed.
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

/**
 * Words in stage names by step, starting with the last step, with the position before and after the step is
 * completed.
 */
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

/** Removes the dots between initials in the name of a stage: `P.T.O.` becomes `PTO.`. */
export const joinInitials = (name: string) => name.replaceAll(/\.(?=\w\b)/g, '')

/** Returns the position implied by an open stage's name, or null. */
export function placeOfWords(name: string): StagePlace | null {
  const words = joinInitials(name.slice(0, longestName)).replaceAll(/[\W_]+/g, ' ')
  const found = placesByWords.find(([pattern]) => pattern.test(words))
  if (found === undefined) return null
  const [, before, after] = found
  return isOver.test(words) && !/\b(?:not|to be|ready|waiting|awaiting|pending)\b/i.test(words)
    ? after
    : before
}
