import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { buildCopy, copyPath } from './build-copy.ts'

// Builds the portal and the program that partners download, unless the sources are unchanged.

const root = join(import.meta.dirname, '../..')
const marker = join(root, '.next', 'built-from')

const sources = globSync(
  [
    'app/**/*',
    'public/clients/**/*',
    'server/**/*.ts',
    'db/**/*.ts',
    '*.mjs',
    'mdx-components.ts',
    'package-lock.json',
  ],
  { cwd: root, withFileTypes: true },
)
  .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
  .map((entry) => join(entry.parentPath, entry.name))
  .filter((path) => !path.startsWith(join(root, copyPath)))
  .toSorted()
const hash = createHash('sha256')
for (const path of sources)
  hash.update(path.slice(root.length)).update('\0').update(readFileSync(path)).update('\0')
const digest = hash.digest('hex')

if (readMarker() !== digest || !existsSync(join(root, copyPath))) {
  process.stderr.write('Building the portal …\n')
  rmSync(marker, { force: true })
  // Built first, because a page of the portal shows the checksum.
  await buildCopy()
  const { status } = spawnSync(
    process.execPath,
    [createRequire(import.meta.url).resolve('next/dist/bin/next'), 'build'],
    {
      cwd: root,
      stdio: ['ignore', 2, 2],
      env: { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
    },
  )
  if (status !== 0) process.exit(status ?? 1)
  writeFileSync(marker, digest)
}

function readMarker(): string | null {
  try {
    return readFileSync(marker, 'utf8')
  } catch {
    return null
  }
}
