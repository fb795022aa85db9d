import { type StagePlace, joinInitials, placeOfWords } from './place.ts'

// The installer's staff names stages in the CRM: a new one is classified by name until the operator corrects
// it.

/** Kinds of stages, in display order. */
export const stageKinds = ['open', 'on-hold', 'won', 'lost'] as const
export type StageKind = (typeof stageKinds)[number]

/** The colors of stages; red and yellow are reserved for late and failing. */
export const stageTones = ['gray', 'blue', 'violet', 'teal', 'green'] as const
export type StageTone = (typeof stageTones)[number]

export interface Stage {
  /** In the CRM's spelling. */
  name: string
  kind: StageKind
  /** The step that its deals wait for; null if unknown. */
  place: StagePlace | null
  /** The display order among stages of one kind, lowest first. */
  order: number
  tone: StageTone
}

/** Longer names are not stored as stages; they are classified by name only. */
export const stageNameMaxLength = 200

/** Maximum stored stages, so that free-text notes in the field do not fill the table. */
export const stagesMax = 200

export const orderMax = 1_000_000

const notYet = /\b(?:not|to be|ready|waiting|pending)\b|\b(?:await|partial|request)/i
const lost = /\b(?:cancel(?:l?ed|l?ation)?|lost|dead|withdrawn|terminated|disqualified|archived)\b/i
const won = /\b(?:closed|funded)\b|\bpto (?:granted|approved|received|issued|completed?)\b/i
const complete =
  /^[^a-z]*(?:(?:project|job|deal|service|all)\W+)?(?:completed?|done|finished)\s*(?:$|[^\sa-z])/i
const onHold = /\bhold\b|\bpaused?\b/i

// The phases of a project, by words in the name; the first match decides.
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

/** Returns the kind implied by a stage's name. */
function kindOf(name: string): StageKind {
  if (!notYet.test(name)) {
    if (lost.test(name)) return 'lost'
    if (won.test(joinInitials(name).replaceAll(/\W+/g, ' ')) || complete.test(name)) return 'won'
  }
  return onHold.test(name) ? 'on-hold' : 'open'
}

/**
 * Returns the color of a stage: by phase while open (design, permit, install and later), green if won, gray
 * otherwise.
 */
export function toneOf(name: string, kind: StageKind): StageTone {
  if (isWon(kind)) return 'green'
  if (!isMoving(kind)) return 'gray'
  return tonesOfPhases.find(([words]) => words.test(joinInitials(name)))?.[1] ?? 'gray'
}

/**
 * Classifies a stage by name: `Cancelled` is lost, `Funded` won, `On Hold` on hold, anything else open.
 * Completed steps (`Install Complete`) and requests (`Cancellation requested`) do not close a deal.
 */
export function classifyStage(name: string): Pick<Stage, 'kind' | 'tone' | 'place'> {
  const kind = kindOf(name)
  return { kind, tone: toneOf(name, kind), place: placeOf(name, kind) }
}

/** Returns the place implied by a stage's name, if its deals move on. */
export const placeOf = (name: string, kind: StageKind): StagePlace | null =>
  isMoving(kind) ? placeOfWords(name) : null

/** Returns whether deals in a stage of this kind move on, so their step durations count. */
export const isMoving = (kind: StageKind) => kind === 'open'
/** Returns whether deals in a stage of this kind are on hold. */
export const isOnHold = (kind: StageKind) => kind === 'on-hold'
/** Returns whether deals in a stage of this kind are paid. */
export const isWon = (kind: StageKind) => kind === 'won'
/** Returns whether deals in a stage of this kind are worth no money. */
export const isLost = (kind: StageKind) => kind === 'lost'
/** Returns whether nothing more is expected of deals in a stage of this kind. */
export const isClosed = (kind: StageKind) => isWon(kind) || isLost(kind)

/** The parts of a stage that determine its order. */
type OrderedStage = Pick<Stage, 'name' | 'kind' | 'order'>

/** Compares two stages by display order. */
export const compareStages = (a: OrderedStage, b: OrderedStage) =>
  stageKinds.indexOf(a.kind) - stageKinds.indexOf(b.kind) ||
  a.order - b.order ||
  (a.name < b.name ? -1 : Number(a.name > b.name))

/** Returns a stage by name; empty or null for deals without one, which come first. */
export type StageOf = (name: string | null | undefined) => Stage

/** Returns a lookup of existing stages; unknown ones are classified by name and sorted last. */
export function makeStageOf(known: readonly Stage[]): StageOf {
  const byName = new Map(known.map((stage) => [stage.name, stage]))
  return (given) => {
    const name = given ?? ''
    return byName.get(name) ?? { name, order: name === '' ? -1 : orderMax + 1, ...classifyStage(name) }
  }
}
