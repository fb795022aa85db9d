import { chmodSync, lstatSync, readdirSync } from 'node:fs'
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Makes the data directory if it is missing, and takes from everybody but the owner what is in it: homeowners' contracts, and
 * secrets. Only takes away: what the owner closed further stays as it is, and where a link leads is left alone.
 *
 * Root's own directory is 0711 instead of 0700, because the PostgreSQL in it runs as another user, who has to pass through:
 * to do so without 0711 would take moving the cluster out of the directory that people back up. What is in it is closed.
 *
 * @param tell  told of what stays open, such as on a volume that belongs to another user
 */
export async function secureDataDir(path: string, tell: (path: string) => void): Promise<void> {
  const passable = process.getuid?.() === 0 ? 0o011 : 0
  const made = await mkdir(path, { recursive: true, mode: 0o700 | passable })
  // Whatever the umask has taken from it.
  if (made !== undefined) return chmod(path, 0o700 | passable)
  unlessForeign(path, tell, () => {
    restrict(path, 0o077 & ~passable)
    for (const name of readdirSync(path)) close(join(path, name), tell)
  })
}

// Synchronous, because nothing else runs yet, and an older version may have left a hundred thousand files.
function close(path: string, tell: (path: string) => void): void {
  unlessForeign(path, tell, () => {
    const entry = lstatSync(path)
    // What is in a closed directory was closed before it, so that later starts look at the first level alone.
    if (entry.isSymbolicLink() || (entry.mode & 0o077) === 0) return
    if (entry.isDirectory()) for (const name of readdirSync(path)) close(join(path, name), tell)
    restrict(path, 0o077)
  })
}

/** Takes these bits from the mode. */
function restrict(path: string, bits: number): void {
  const mode = lstatSync(path).mode & 0o7777
  if ((mode & bits) !== 0) chmodSync(path, mode & ~bits)
}

/** Does the work, and tells of what another user owns instead of failing. */
function unlessForeign(path: string, tell: (path: string) => void, work: () => void): void {
  try {
    work()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EPERM' || code === 'EACCES' || code === 'EROFS') tell(path)
    // Another process may have removed what was unfinished.
    else if (code !== 'ENOENT') throw error
  }
}
