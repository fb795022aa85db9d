import { spawn } from 'node:child_process'
import { mkdirSync, rmSync, statSync, utimesSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

// npm run setup: installs the dependencies unless they are up to date. Runs on the system's Node, without packages.

/** Written last by npm install; its scripts may still be running. */
const installed = 'node_modules/.package-lock.json'
const sources = ['package-lock.json', 'db/patches']

// Commands that find outdated dependencies at the same time take turns: two `npm ci` break each other.
const lock = '.setup-lock'
const refreshMs = 1000
const staleMs = 10 * refreshMs

await takeTurn()
await install()

/** Waits for the lock and takes it. Ends the process if there is nothing to install. */
async function takeTurn() {
  for (;;) {
    const lockedAtMs = modifiedMs(lock)
    if (lockedAtMs === undefined) {
      if (isUpToDate()) process.exit()
      if (tryLock()) return
    } else if (Date.now() - lockedAtMs > staleMs) {
      // Its owner was killed, perhaps between installing packages and patching them.
      rmSync(installed, { force: true })
      rmSync(lock, { recursive: true, force: true })
    } else await sleep(200)
  }
}

/** Installs the dependencies, then ends the process with npm's exit code. */
async function install() {
  const refresh = setInterval(() => utimesSync(lock, new Date(), new Date()), refreshMs)
  // Ctrl-C reaches npm as well, which ends first.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {})
  const npm = spawn('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { stdio: ['ignore', 2, 2] })
  const code = await new Promise((resolve) => {
    npm.once('error', () => resolve(1))
    npm.once('close', resolve)
  })
  clearInterval(refresh)
  if (code !== 0) rmSync(installed, { force: true })
  rmSync(lock, { recursive: true, force: true })
  process.exitCode = code ?? 1
}

function isUpToDate() {
  const installedMs = modifiedMs(installed)
  return installedMs !== undefined && sources.every((path) => installedMs > (modifiedMs(path) ?? 0))
}

/** Returns false if another process has the lock. */
function tryLock() {
  try {
    mkdirSync(lock)
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

/** Returns when a file or directory was last modified, or undefined if it does not exist. */
function modifiedMs(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs
}
