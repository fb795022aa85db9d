import { hostname } from 'node:os'
import { anotherRuns } from './failures.ts'
import { type Stored, leaseS } from './target.ts'

/** This run, as others read it. */
export const holderName = `${hostname()}:${process.pid}`

/**
 * Fails if this run may not take a copy from its holder: one that spoke a moment ago and, if it is on this
 * machine, whose process exists.
 */
export function refuseIfHeld(holder: Stored['holder']): void {
  if (holder === null || holder.silentS > leaseS || holder.name === holderName) return
  const [host, pid] = splitName(holder.name)
  if (host === hostname() && !exists(Number(pid))) return
  throw anotherRuns(`${holder.name}, ${holder.silentS} s ago`)
}

function splitName(name: string): [string, string] {
  const at = name.lastIndexOf(':')
  return [name.slice(0, at), name.slice(at + 1)]
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
