import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { startSystem, startedDirectory, temporaryDirectory } from './system.ts'

/**
 * Starts the product once without the demo and once with it. Tests copy the resulting directories instead of
 * repeating the setup.
 */
export default async function setUp(): Promise<() => Promise<unknown>> {
  const dataDirs = await Promise.all(
    (['off', 'on'] as const).map(async (demo) => {
      const dataDir = await temporaryDirectory()
      const system = await startSystem({ dataDir, env: { DEMO: demo } })
      await system.stop()
      // Every copy has to choose its own port.
      await rm(join(dataDir, 'postgres-port'))
      process.env[startedDirectory(demo)] = dataDir
      return dataDir
    }),
  )
  return () => Promise.all(dataDirs.map((dataDir) => rm(dataDir, { recursive: true, force: true })))
}
