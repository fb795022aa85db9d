import type { Import } from '../labels.ts'

/** Labels of the steps of a checked import. */
export const stepNames = { columns: 'Columns', choices: 'Stages and choices', review: 'Review' }
export type StepName = keyof typeof stepNames

type Checked = Pick<Import, 'undoes' | 'sample' | 'stages'>

/** Returns the steps of an import. An import without columns and choices only has the review. */
export function stepsOf({ undoes, sample }: Checked): StepName[] {
  if (undoes !== null || sample === null) return ['review']
  const { columns, columnProblem, sheetProblem, encoding, stages = [], leaving } = sample
  const isBlocked = columnProblem !== undefined || sheetProblem !== undefined
  const hasColumns = columns !== undefined || isBlocked || (encoding?.choices.length ?? 0) > 1
  const hasChoices = columns !== undefined || stages.length > 0 || leaving !== undefined
  return [
    ...(hasColumns ? (['columns'] as const) : []),
    ...(hasChoices && !isBlocked ? (['choices'] as const) : []),
    ...(isBlocked ? [] : (['review'] as const)),
  ]
}

/** Returns the first step with an open question, or the review if there is none. */
export function firstStep(found: Checked): StepName {
  const steps = stepsOf(found)
  const { sample } = found
  if (sample === null || steps.length === 1) return steps[0]!
  const { columns = [], lost = [], lacks = [], stages = [], dates, numbers, leaving } = sample
  const isOpen: Record<StepName, boolean> = {
    columns:
      !steps.includes('review') ||
      lost.length + lacks.length > 0 ||
      columns.some(({ mayBe }) => mayBe !== undefined),
    choices:
      stages.some(({ name, isUnsure }) => isUnsure && found.stages[name] === undefined) ||
      dates !== undefined ||
      numbers !== undefined ||
      leaving !== undefined,
    review: true,
  }
  return steps.find((step) => isOpen[step])!
}
