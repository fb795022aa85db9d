import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ApiError } from '../errors.ts'
import { freeDiskMinBytes } from './policy.ts'

/** Returns the free space, in bytes, on the disk of a directory that may not exist yet. */
export async function freeBytesOf(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory).catch(() => statfs(dirname(directory)))
  return bavail * bsize
}

/**
 * Checks that the data directory's disk has enough free space left.
 * @throws ApiError 503 if the disk of the data directory would have too little space left
 */
export async function requireFreeDisk(
  { freeBytes }: { freeBytes?(): Promise<number> },
  sizeBytes: number,
): Promise<void> {
  const free = await freeBytes?.()
  if (free !== undefined && free - sizeBytes < freeDiskMinBytes)
    throw new ApiError(
      'SERVICE_UNAVAILABLE',
      'There is too little space left on the disk for more files; ask an operator to make room',
      { headers: { 'Retry-After': '600' } },
    )
}
