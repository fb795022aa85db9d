import { spawnSync } from 'node:child_process'
import { mkdtemp, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { downloadOf } from '#app/clients/downloads.ts'

/**
 * Unpacks an npm package under `/clients` to a folder in which this project's packages can be imported.
 * Returns the folder.
 */
export async function unpack(name: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'partner-deals-package-'))
  await symlink(join(import.meta.dirname, '../node_modules'), join(directory, 'node_modules'))
  await writeFile(join(directory, name), await downloadOf(name))
  const { status } = spawnSync('tar', ['-xzf', name], { cwd: directory })
  if (status !== 0) throw new Error(`${name} could not be unpacked`)
  return join(directory, 'package')
}
