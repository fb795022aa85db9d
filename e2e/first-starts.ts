import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { startSystem, startedDirectory, temporaryDirectory } from './system.ts'

/** Starts the product once without the demonstration and once with it, for the systems of a run to go on from copies of what that leaves. */
export default async function setUp(): Promise<() => Promise<unknown>> {
  const dataDirs = await Promise.all(
    (['off', 'on'] as const).map(async (demo) => {
      const dataDir = await temporaryDirectory()
      const system = await startSystem({ dataDir, env: { DEMO: demo } })
      await system.stop()
      // Each copy finds a port of its own.
      await rm(join(dataDir, 'postgres-port'))
      process.env[startedDirectory(demo)] = dataDir
      return dataDir
    }),
  )
  return () => Promise.all(dataDirs.map((dataDir) => rm(dataDir, { recursive: true, force: true })))
}
