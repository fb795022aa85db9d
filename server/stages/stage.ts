import { type StagePlace, joinInitials, placeOfWords } from './place.ts'

// The installer's staff name stages in the CRM. A new stage is classified by its name until an operator
// corrects the classification.

/** Kinds of stages, in display order. */
export const stageKinds = ['open', 'on-hold', 'won', 'lost'] as const
export type StageKind = (typeof stageKinds)[number]

/** Colors of stages. Red and yellow are reserved for late and failing items. */
export const stageTones = ['gray', 'blue', 'violet', 'teal', 'green'] as const
export type StageTone = (typeof stageTones)[number]

export interface Stage {
  /** Name as spelled in the CRM. */
  name: string
  kind: StageKind
  /** The step that deals in this stage wait for, or null if unknown. */
  place: StagePlace | null
  /** Display order among stages of the same kind, lowest first. */
  order: number
  tone: StageTone
}

/** Maximum length of stored stage names. A stage with a longer name is only classified by name. */
export const stageNameMaxLength = 200

/** Maximum number of stored stages, so that free-text notes in the stage field do not fill the table. */
export const stagesMax = 200

export const orderMax = 1_000_000

const notYet = /\b(?:not|to be|ready|waiting|pending)\b|\b(?:await|partial|request)/i
const lost = /\b(?:cancel(?:l?ed|l?ation)?|lost|dead|withdrawn|terminated|disqualified|archived)\b/i
const won = /\b(?:closed|funded)\b|\bpto (?:granted|approved|received|issued|completed?)\b/i
const complete =
  /^[^a-z]*(?:(?:project|job|deal|service|all)\W+)?(?:completed?|done|finished)\s*(?:$|[^\sa-z])/i
const onHold = /\bhold\b|\bpaused?\b/i

// Colors of project phases, by words in the stage name. The first match applies.
const tonesOfPhases: [RegExp, StageTone][] = [
  [/inspect|\bpto\b|fund|\bm[123]\b|commission|close-?out/i, 'green'],
  [/install|construct|\bbuild|crew/i, 'teal'],
  [/permit|\bntp\b|proceed|\bhoa\b|interconnect|utility/i, 'violet'],
  [
    /survey|site (?:visit|audit|assessment)|design|\bcad\b|engineer|plan ?set|sign|contract|lead|new|sale|proposal/i,
    'blue',
  ],
  [/final|paperwork/i, 'green'],
]

function kindOf(name: string): StageKind {
  if (!notYet.test(name)) {
    if (lost.test(name)) return 'lost'
    if (won.test(joinInitials(name).replaceAll(/\W+/g, ' ')) || complete.test(name)) return 'won'
  }
  return onHold.test(name) ? 'on-hold' : 'open'
}

/**
 * Returns the color of a stage: gray, green if won, or the color of its phase (design, permit, installation
 * and later) if open.
 */
export function toneOf(name: string, kind: StageKind): StageTone {
  if (isWon(kind)) return 'green'
  if (!isMoving(kind)) return 'gray'
  return tonesOfPhases.find(([words]) => words.test(joinInitials(name)))?.[1] ?? 'gray'
}

/**
 * Classifies a stage by name: `Cancelled` is lost, `Funded` is won, `On Hold` is on hold, and anything else
 * is open. Completed steps (`Install Complete`) and requests (`Cancellation requested`) do not close a deal.
 */
export function classifyStage(name: string): Pick<Stage, 'kind' | 'tone' | 'place'> {
  const kind = kindOf(name)
  return { kind, tone: toneOf(name, kind), place: placeOf(name, kind) }
}

/**
 * Returns the position in the process implied by a stage's name, or null if work on its deals has stopped.
 */
export const placeOf = (name: string, kind: StageKind): StagePlace | null =>
  isMoving(kind) ? placeOfWords(name) : null

/** Returns true if work continues on deals in a stage of this kind, so that their step durations count. */
export const isMoving = (kind: StageKind) => kind === 'open'
/** Returns true if deals in a stage of this kind are on hold. */
export const isOnHold = (kind: StageKind) => kind === 'on-hold'
/** Returns true if deals in a stage of this kind are paid. */
export const isWon = (kind: StageKind) => kind === 'won'
/** Returns true if deals in a stage of this kind bring in no money. */
export const isLost = (kind: StageKind) => kind === 'lost'
/** Returns true if deals in a stage of this kind are finished, whether won or lost. */
export const isClosed = (kind: StageKind) => isWon(kind) || isLost(kind)

/** The properties of a stage that determine its order. */
type OrderedStage = Pick<Stage, 'name' | 'kind' | 'order'>

/** Compares two stages by display order. */
export const compareStages = (a: OrderedStage, b: OrderedStage) =>
  stageKinds.indexOf(a.kind) - stageKinds.indexOf(b.kind) ||
  a.order - b.order ||
  (a.name < b.name ? -1 : Number(a.name > b.name))

/**
 * Returns the stage with a name. An empty name or null stands for deals without a stage, which sort first.
 */
export type StageOf = (name: string | null | undefined) => Stage

/** Returns a lookup of existing stages. Unknown stages are classified by name and sorted last. */
export function makeStageOf(known: readonly Stage[]): StageOf {
  const byName = new Map(known.map((stage) => [stage.name, stage]))
  return (stageName) => {
    const name = stageName ?? ''
    return byName.get(name) ?? { name, order: name === '' ? -1 : orderMax + 1, ...classifyStage(name) }
  }
}
