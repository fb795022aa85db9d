import type { Database } from '#db/client.ts'
import type { Reach } from '../accounts/partner.ts'
import { type Zone, utc } from '../protocol/zone.ts'
import { compareStages, makeStageOf } from '../stages/stage.ts'
import { readStages } from '../stages/store.ts'
import { conditionOf } from './find/condition-store.ts'
import type { BoardColumn, DealFilter } from './find/wire.ts'

/** A value and how many deals have it. */
interface Choice {
  value: string
  count: number
}

/**
 * What the deals within reach can be filtered by: stages in their order, all else with the most common first.
 */
export interface FilterChoices {
  stages: Choice[]
  pipelines: Choice[]
  states: Choice[]
  people: Choice[]
  /** Only for those who see the deals of all partners. */
  partners: Choice[]
}

/** Further people are found by typing their names. */
const peopleMax = 500

/** Returns the values that occur in the deals within reach; an unknown one is an empty text. */
export async function readChoices(db: Database, reach: Reach): Promise<FilterChoices> {
  const sql = db.$client
  const mine = conditionOf(sql, reach, {}, utc)
  const [values, people, stages, partners] = await Promise.all([
    sql<(Choice & { kind: keyof FilterChoices })[]>`
      select
        case when grouping(stage) = 0 then 'stages' when grouping(pipeline) = 0 then 'pipelines' else 'states'
        end as kind,
        coalesce(stage, pipeline, state, '') as value, count(*)::float8 as count
      from deals where ${mine} group by grouping sets ((stage), (pipeline), (state)) order by count desc, value`,
    sql<Choice[]>`
      select name as value, sum(count)::float8 as count
      from (select unnest(people) as id, count(*) from deals where ${mine} group by 1) role
        join people using (id)
      group by name order by count desc, value limit ${peopleMax}`,
    readStages(db, reach),
    reach === 0
      ? sql<Choice[]>`
      select coalesce(name, '') as value, sum(count)::float8 as count
      from (select partner_id, count(*) from deals group by 1) owned left join partners on partners.id = partner_id
      group by 1 order by 1`
      : [],
  ])
  const stageOf = makeStageOf(stages)
  const of = (kind: keyof FilterChoices) =>
    values.filter((value) => value.kind === kind).map(({ value, count }) => ({ value, count }))
  return {
    stages: of('stages').toSorted((a, b) => compareStages(stageOf(a.value), stageOf(b.value))),
    pipelines: of('pipelines'),
    states: of('states'),
    people: [...people],
    partners: [...partners],
  }
}

/**
 * Returns the matching deals by stage, in the order of the stages; deals without a stage are one, however
 * they say so.
 */
export async function readBoard(
  db: Database,
  reach: Reach,
  filter: DealFilter,
  zone: Zone,
): Promise<BoardColumn[]> {
  const sql = db.$client
  const [totals, stages] = await Promise.all([
    sql<{ stage: string; count: number; amount: number }[]>`
      select coalesce(stage, '') as stage, count(*)::float8 as count,
        coalesce(sum(amount), 0)::float8 as amount
      from deals where ${conditionOf(sql, reach, filter, zone)} group by 1`,
    readStages(db, reach),
  ])
  const stageOf = makeStageOf(stages)
  return totals
    .map((total) => ({ ...total, of: stageOf(total.stage) }))
    .toSorted((a, b) => compareStages(a.of, b.of))
    .map(({ of: { kind, tone }, ...total }) => ({ ...total, kind, tone }))
}
