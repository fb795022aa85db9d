import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import pino from 'pino'
import { type PreparedTemplate, type TestDatabase, createPreparedDatabase } from '#db/test-database.ts'
import { loadDemo } from '#server/programs/demo.ts'
import { openSystem } from '#server/programs/system.ts'
import { readConfig } from '#server/runtime/env.ts'

/** Number of deals with complete data: seven pages for the first partner. */
const dealCount = 300

const demoTemplate: PreparedTemplate = {
  name: 'template_demo',
  async prepare(url, directory) {
    const config = readConfig({ DATABASE_URL: url, DATA_DIR: directory })
    const system = await openSystem(config, pino({ level: 'silent' }), () => {})
    await loadDemo(system.services, dealCount)
    await system.close()
  },
}

/** Clones the database of a small demo, which is loaded once per run, and copies its files into `dataDir`. */
export async function createDemoDatabase(dataDir: string): Promise<TestDatabase> {
  const { preparedDirectory, ...database } = await createPreparedDatabase(demoTemplate)
  await promisify(execFile)('cp', ['-a', `${preparedDirectory}/.`, dataDir])
  return database
}
