import type { Database } from '#db/client.ts'
import type { Reach } from '../accounts/partner.ts'
import { columnOf, timeFields } from './find/columns.ts'
import { conditionOf } from './find/store.ts'
import type { DealFilter } from './find/wire.ts'

/** A value and how many deals have it. */
interface Choice {
  value: string
  count: number
}

/** The filter choices of the deals within reach, most common first. */
export interface Choices {
  stages: Choice[]
  pipelines: Choice[]
  states: Choice[]
  people: Choice[]
}

/** Further people are found by typing their names. */
const peopleMax = 500

/** Returns the values that occur in the deals within reach; an unknown one is an empty text. */
export async function readChoices(db: Database, reach: Reach): Promise<Choices> {
  const sql = db.$client
  const mine = conditionOf(sql, reach, {})
  const [values, people] = await Promise.all([
    sql<(Choice & { kind: keyof Choices })[]>`
      select case when grouping(stage) = 0 then 'stages' when grouping(pipeline) = 0 then 'pipelines' else 'states' end as kind,
        coalesce(stage, pipeline, state, '') as value, count(*)::float8 as count
      from deals where ${mine} group by grouping sets ((stage), (pipeline), (state)) order by count desc, value`,
    sql<Choice[]>`
      select name as value, sum(count)::float8 as count
      from (select unnest(people) as id, count(*) from deals where ${mine} group by 1) role join people using (id)
      group by name order by count desc, value limit ${peopleMax}`,
  ])
  const of = (kind: keyof Choices) =>
    values.filter((value) => value.kind === kind).map(({ value, count }) => ({ value, count }))
  return { stages: of('stages'), pipelines: of('pipelines'), states: of('states'), people: [...people] }
}

/** A stage and its deals; amounts in dollars. */
export interface StageTotal {
  stage: string | null
  count: number
  amount: number
}

const steps = timeFields
  .filter(
    (field) =>
      !/^(?:lastModified|createDate|timeInCurrentStage|notes|expected|installedScheduled)/.test(field),
  )
  .map(columnOf)
  .join(', ')

/**
 * Returns the SQL expression for a deal's progress: the number of milestones it has reached.
 * @proof nothing: an expression, which reads no table
 */
export const progressOf = (sql: Database['$client']) => sql`num_nonnulls(${sql.unsafe(steps)})`

/** Returns the matching deals by stage, ordered by how many milestones they have reached. */
export async function readStages(db: Database, reach: Reach, filter: DealFilter): Promise<StageTotal[]> {
  const sql = db.$client
  return sql<StageTotal[]>`
    select stage, count(*)::float8 as count, coalesce(sum(amount), 0)::float8 as amount
    from deals where ${conditionOf(sql, reach, filter)}
    group by stage order by avg(${progressOf(sql)}), stage`
}
