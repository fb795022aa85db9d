import { CsvTarget } from './csv-target.ts'
import { type Connection, SqlTarget } from './sql-target.ts'
import type { TargetPlan } from './target-url.ts'
import type { Target } from './target.ts'

/** Opens a target. */
export async function openTarget(plan: TargetPlan, prefix: string): Promise<Target> {
  if (plan.kind === 'csv') return new CsvTarget(plan.path, prefix)
  return new SqlTarget(await connect(plan), plan.kind, prefix)
}

/** Connects to a database; only its driver is loaded. */
async function connect(plan: Exclude<TargetPlan, { kind: 'csv' }>): Promise<Connection> {
  switch (plan.kind) {
    case 'postgres':
      return (await import('./postgres.ts')).openPostgres(plan)
    case 'mysql':
      return (await import('./mysql.ts')).openMysql(plan)
    case 'sqlite':
      return (await import('./sqlite.ts')).openSqlite(plan.path)
  }
}
