import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const shared = await mkdtemp(join(tmpdir(), 'compiled-'))
afterAll(() => rm(shared, { recursive: true }))

/**
 * Runs a program and closes its output after the first bytes, as `head -c 1` does. The program stores
 * compiled code in the directory `cache`.
 */
async function runWithoutReader(cache: string, ...args: string[]): Promise<{ code: number; stderr: string }> {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_COMPILE_CACHE: cache },
  })
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  child.stdout.once('data', () => child.stdout.destroy())
  const [code] = await once(child, 'close')
  return { code: code as number, stderr }
}

const lines = (then: string) => `
  let printed = 0
  const timer = setInterval(() => {
    process.stdout.write('a line\\n'.repeat(10_000))
    if (++printed === 20) { clearInterval(timer); ${then} }
  }, 5)`
const { href } = new URL('process.ts', import.meta.url)

test('a program runs to its end if nobody reads its output', async () => {
  const script = `
    import { allowClosedOutput } from ${JSON.stringify(href)}
    allowClosedOutput()
    ${lines("process.exitCode = 3; process.stderr.write('done')")}`
  expect(await runWithoutReader(shared, '--input-type=module', '-e', script)).toEqual({
    code: 3,
    stderr: 'done',
  })
})

test('a program that only prints may exit as soon as its output is closed', async () => {
  const script = `
    import { allowClosedOutput } from ${JSON.stringify(href)}
    allowClosedOutput(() => process.exit(0))
    ${lines("process.stderr.write('done')")}`
  expect(await runWithoutReader(shared, '--input-type=module', '-e', script)).toEqual({ code: 0, stderr: '' })
})

/** Runs a program to its end while this many of its four threads are blocked. Returns the compiled files. */
async function runBlocked(threads: number): Promise<string[]> {
  await using stack = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'process-'))
  stack.defer(() => rm(directory, { recursive: true }))
  const pipe = join(directory, 'pipe')
  execFileSync('mkfifo', [pipe])
  const script = `
    import { open } from 'node:fs'
    import { runToEnd } from ${JSON.stringify(href)}
    // Nothing writes to the pipe, so opening it blocks the thread.
    for (let at = 0; at < ${threads}; at++) open(${JSON.stringify(pipe)}, 'r', () => {})
    await runToEnd(async () => process.stdout.write('done'))`
  const cache = join(directory, 'cache')
  expect(await runWithoutReader(cache, '--input-type=module', '-e', script)).toEqual({ code: 0, stderr: '' })
  const entries = await readdir(cache, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}

test.runIf(process.execve)(
  'a program exits although one of its threads is blocked, and keeps its compiled code for the next run',
  async () => expect(await runBlocked(1)).not.toEqual([]),
)

test.runIf(process.execve)('a program exits without waiting for a disk that does not respond', async () =>
  expect(await runBlocked(4)).toEqual([]),
)

test.each(['operator.ts', 'inbox.ts'])('%s --help exits without an error', async (program) => {
  const { pathname } = new URL(`../${program}`, import.meta.url)
  expect(await runWithoutReader(shared, pathname, '--help')).toEqual({ code: 0, stderr: '' })
})
