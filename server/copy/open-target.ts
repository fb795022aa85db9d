import { CsvTarget } from './csv-target.ts'
import { usage } from './failures.ts'
import { SqlTarget, createTables } from './sql-target.ts'
import type { TargetPlan } from './target-url.ts'
import type { Target } from './target.ts'

// A database's driver is loaded when it is used.

/** Opens a target. */
export async function openTarget(plan: TargetPlan, prefix: string): Promise<Target> {
  if ('path' in plan) {
    if (plan.kind === 'csv') return new CsvTarget(plan.path, prefix)
    const { openSqlite, sqliteDialect } = await import('./sqlite.ts')
    return new SqlTarget(await openSqlite(plan.path), sqliteDialect, prefix)
  }
  if (plan.kind === 'mysql') {
    const { openMysql, mysqlDialect } = await import('./mysql.ts')
    return new SqlTarget(await openMysql(plan), mysqlDialect, prefix)
  }
  const { openPostgres, postgresDialect } = await import('./postgres.ts')
  return new SqlTarget(await openPostgres(plan), postgresDialect, prefix)
}

/** Returns the statements that create the tables of a target. */
export async function ddlOf({ kind }: TargetPlan, prefix: string): Promise<string> {
  if (kind === 'csv') throw usage('a folder of CSV files has no tables to create')
  const dialects = {
    postgres: async () => (await import('./postgres.ts')).postgresDialect,
    mysql: async () => (await import('./mysql.ts')).mysqlDialect,
    sqlite: async () => (await import('./sqlite.ts')).sqliteDialect,
  }
  return createTables(await dialects[kind](), prefix)
    .map((statement) => `${statement};\n`)
    .join('\n')
}
