import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hostsText, parseDatabaseUrl } from '#db/database-url.ts'
import { ConfigurationError, type Config } from './env.ts'

// Prevents commands that lack the variables of their installation from using or creating another database.

/** A file in the data directory that names the database without its password. */
const databaseFile = 'database'

/** A file in the project's directory that names the data directory of the last start with `DATABASE_URL`. */
const installationFile = '.installation'

/** Returns the name and hosts of a database, such as `deals at db.internal:5432`. */
export const databaseText = (url: string): string => {
  const name = new URL(parseDatabaseUrl(url)!.url).pathname.slice(1)
  return `${name === '' ? 'the default database' : decodeURIComponent(name)} at ${hostsText(url)}`
}

/** Records the database of this installation in the data directory and in the project's directory. */
export function recordInstallation({ databaseDirectUrl, dataDir }: Config, directory: string): void {
  if (databaseDirectUrl === undefined || isEmbedded(databaseDirectUrl, dataDir)) return
  write(join(dataDir, databaseFile), databaseText(databaseDirectUrl))
  write(join(directory, installationFile), dataDir)
}

/**
 * Returns true if a URL refers to the embedded database of the data directory, as the URL of a second worker
 * does.
 */
const isEmbedded = (url: string, dataDir: string): boolean =>
  read(join(dataDir, 'postgres-password')) ===
  decodeURIComponent(new URL(parseDatabaseUrl(url)!.url).password)

/**
 * When a program without `DATABASE_URL` may create an embedded database: never, only if `DATA_DIR` is set, or
 * always.
 */
export type MayCreate = 'never' | 'chosen' | 'always'

/**
 * Checks that a program without `DATABASE_URL` is meant to use the embedded database.
 * @throws ConfigurationError
 */
export function requireInstallation(
  { databaseUrl, dataDir }: Config,
  variables: Record<string, string | undefined>,
  directory: string,
  mayCreate: MayCreate,
): void {
  if (databaseUrl !== undefined) return
  const isChosen = (variables['DATA_DIR'] ?? '') !== ''
  // A server may be started as a trial beside the installation.
  const known = isChosen || mayCreate === 'always' ? null : read(join(directory, installationFile))
  const owner = known ?? dataDir
  const database = read(join(owner, databaseFile))
  if (database !== null)
    throw new ConfigurationError(
      `DATABASE_URL: is not set, but this installation uses the database ${database}, with DATA_DIR=${owner}. ` +
        `${advice}. To use the embedded database ` +
        (owner === dataDir
          ? `there, remove ${join(owner, databaseFile)}`
          : `in ${dataDir}, set DATA_DIR=${dataDir}`),
    )
  if (existsSync(join(dataDir, 'postgres-password'))) return
  if (mayCreate === 'never')
    throw new ConfigurationError(
      `DATABASE_URL: is not set, and there is no embedded database in ${dataDir}. ${advice}, ` +
        'or start Partner Deals there first: npm start',
    )
  if (mayCreate === 'chosen' && !isChosen)
    throw new ConfigurationError(
      `DATABASE_URL: is not set. ${advice}, or set DATA_DIR to create an embedded database there`,
    )
}

const advice =
  'Set DATABASE_URL and DATA_DIR as for the start: export them, put them in .env, or name a file with --env-file'

/** Writes the text if it has changed, unless the directory is read-only, as in a container. */
function write(path: string, text: string): void {
  if (read(path) === text) return
  try {
    writeFileSync(path, `${text}\n`, { mode: 0o600 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (!['EROFS', 'EACCES', 'EPERM'].includes(code ?? '')) throw error
  }
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return null
  }
}
