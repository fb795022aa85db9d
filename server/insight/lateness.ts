import type { TimeField } from '../deals/find/columns.ts'
import { type Zone, dayNumberOf, utc } from '../protocol/zone.ts'
import { type StageOf, isClosed } from '../stages/stage.ts'
import type { DealGroup, Lateness, StageLateness } from './group.ts'
import {
  type AttentionName,
  type QuestionName,
  allowedDays,
  attentionNames,
  questionsOf,
} from './question.ts'
import type { LateBy } from './wire.ts'

// The day only matters to the filters.
const questions = questionsOf('2000-01-01')
const names = Object.keys(questions) as QuestionName[]
const fieldOf = (name: AttentionName) => questions[name].sort.field as TimeField

/** The dates that determine the lateness of deals that need attention. */
export const latenessFields = [...new Set(attentionNames.map(fieldOf))]

/** Returns the lateness of these groups' deals, by reason and stage. */
export const latenessOf = (groups: (DealGroup & { late: Lateness[] })[]): StageLateness[] =>
  attentionNames.flatMap((name) => {
    const [bit, index] = [1 << names.indexOf(name), latenessFields.indexOf(fieldOf(name))]
    const asked = groups.filter((group) => (group.asked & bit) !== 0)
    return [...Map.groupBy(asked, ({ stage }) => stage)].map(([stage, all]) => {
      const dates = all.flatMap(({ late }) => late[index]!.earliestMs ?? [])
      return {
        stage,
        name,
        earliestMs: dates.length === 0 ? null : dates.reduce((least, each) => Math.min(least, each)),
        dollarDays: all.reduce((sum, { late, amount }) => {
          return sum + Math.max(0, late[index]!.dollarDays - allowedDays[name] * amount)
        }, 0),
      }
    })
  })

/** Returns the lateness of the open deals with a reason for attention, as of a day. */
export function lateBy(
  name: AttentionName,
  lateness: StageLateness[],
  stageOf: StageOf,
  today: string,
  zone: Zone,
): LateBy {
  const open = lateness.filter((each) => each.name === name && !isClosed(stageOf(each.stage).kind))
  const dates = open.flatMap(({ earliestMs }) => earliestMs ?? [])
  const days = dates.length === 0 ? null : daysSince(Math.min(...dates), today, zone)
  return {
    days,
    daysLate: days === null ? null : Math.max(0, days - allowedDays[name]),
    dollarDays: open.reduce((sum, { dollarDays }) => sum + dollarDays, 0),
  }
}

const daysSince = (ms: number, today: string, zone: Zone) =>
  Math.max(0, dayNumberOf(today, utc) - dayNumberOf(new Date(ms).toISOString(), zone))

/** Ranks by dollars times days, highest first. */
export const ranked = <Each extends LateBy>(all: Each[]) =>
  all.toSorted((a, b) => b.dollarDays - a.dollarDays)
