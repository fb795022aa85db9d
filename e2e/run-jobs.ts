import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '#db/client.ts'
import { JobRunner } from '#server/jobs/job-runner.ts'
import { jobKindNames } from '#server/jobs/kinds.ts'

// A process that runs jobs and is killed by tests: node e2e/run-jobs.ts <database> <number of the process>.
// Every job takes a moment, then records its number and the process. A negative number ends the process.

const [databaseUrl, run] = process.argv.slice(2)
const db = openDatabase(databaseUrl!, 4)
const { $client: sql } = db
const handler = async (data: object | null) => {
  // Periodic jobs have no data.
  if (data === null) return
  const [number] = Object.values(data) as [number]
  if (number < 0) process.exit(1)
  await sleep(5 + Math.random() * 40)
  await sql`insert into done (number, run) values (${number}, ${run!})`
}
const handlers = Object.fromEntries(jobKindNames.map((kind) => [kind, handler])) as never
const log = { warn() {}, error() {} } as never
const runner = new JobRunner({ db, log, handlers })
process.stdout.write('running\n')
process.once('SIGTERM', () => {
  void runner.stop(5000).then(() => sql.end({ timeout: 5 }))
})
