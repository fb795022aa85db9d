import { type Milestone, type MilestoneName, milestones } from './milestone.ts'

const all: readonly Milestone[] = milestones

/** The steps of which columns tell where they stand: each deal has them, and a date or a flag says that they are done. */
export const tellableSteps = all
  .filter(
    ({ dates, doneFlag, isThere }) =>
      isThere === undefined && (doneFlag !== undefined || dates.some(({ part }) => part === 'end')),
  )
  .map(({ name }) => name as MilestoneName) as [MilestoneName, ...MilestoneName[]]

/** Returns the steps after another that would not be taken without it, so that they say that it is behind. */
export const followersOf = (name: MilestoneName) =>
  all
    .slice(all.findIndex((milestone) => milestone.name === name) + 1)
    .filter(({ isAside }) => isAside !== true)

/** The dates that say where a deal stands, once they have come. */
export const stepFields = all.flatMap(({ dates }) =>
  dates.filter(({ part }) => part !== 'plan').map(({ field }) => field),
)
