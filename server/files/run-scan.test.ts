import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Caller } from '../admission/admission.ts'
import { runScan, scanLimits } from './run-scan.ts'

let place: string
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'scan-'))
})
afterAll(() => rm(place, { recursive: true }))

let logged: object[] = []
beforeEach(() => void (logged = []))
const log = { warn: (fields: object, message: string) => void logged.push({ ...fields, message }) }

const callerOf = (group: string, member = group): Caller => ({ kind: 'staff', group, member })
const bytes = async function* (): AsyncIterable<Uint8Array> {
  yield Buffer.from('content')
}
const scan = (command: string, more: Partial<Parameters<typeof runScan>[0]> = {}) =>
  runScan({ command, content: bytes, caller: callerOf('a'), log, ...more })

const unavailable = {
  code: 'SERVICE_UNAVAILABLE',
  headers: { 'Retry-After': expect.stringMatching(/^\d+$/) },
}

test.each([
  ['echo no database >&2; exit 2', 'exit code 2', 'no database'],
  ['kill -9 $$', 'it was killed by SIGKILL', ''],
  ['no-such-scanner', 'the command was not found (exit code 127)', expect.stringContaining('not found')],
])('a failed command is a 503 with the reason in the log: %s', async (command, problem, stderr) => {
  await expect(scan(command)).rejects.toMatchObject({
    ...unavailable,
    message: 'The virus scanner does not work at the moment; try again later',
  })
  expect(logged).toEqual([{ problem, stderr, message: 'virus scan failed' }])
})

test('the end of long output is logged', async () => {
  await expect(scan('yes noise | head -c 300000 >&2; echo the cause >&2; exit 3')).rejects.toThrow()
  const [{ stderr }] = logged as [{ stderr: string }]
  expect(stderr).toMatch(/the cause$/)
  expect(stderr.length).toBeLessThanOrEqual(1000)
})

/**
 * Returns a command that starts another program, writes that program's process ID to `path`, and does not
 * exit.
 */
const endless = (path: string) => `sleep 1000 & echo $! > ${path}; wait`
const isGone = (pid: number) =>
  readFile(`/proc/${pid}/stat`, 'utf8').then(
    // A zombie process has ended, but its parent has not read the exit code yet.
    (stat) => / [ZX] /.test(stat),
    () => true,
  )
const pidIn = async (path: string) => {
  await expect.poll(() => readFile(path, 'utf8').catch(() => '')).toMatch(/\d\n/)
  return Number(await readFile(path, 'utf8'))
}

test('a command that exceeds its time limit is killed with its children, which is logged', async () => {
  const path = join(place, 'late')
  await expect(scan(endless(path), { maxMs: 300 })).rejects.toMatchObject(unavailable)
  expect(logged).toMatchObject([{ problem: 'it took longer than 0.3 seconds' }])
  const pid = await pidIn(path)
  await expect.poll(() => isGone(pid)).toBe(true)
})

test.each(['the caller stops', 'the content cannot be read', 'the command ends first'])(
  'all processes started by a command end when %s',
  async (why) => {
    const path = join(place, why.replaceAll(' ', '-'))
    const controller = new AbortController()
    const failing = async function* (): AsyncIterable<Uint8Array> {
      yield Buffer.from('content')
      if (why === 'the content cannot be read') {
        await pidIn(path)
        throw new Error('the disk broke')
      }
    }
    const command = why === 'the command ends first' ? endless(path).replace('wait', 'exit 0') : endless(path)
    const scanning = scan(command, { content: failing, signal: controller.signal })
    const outcome = scanning.then(String, (error: Error) => error.message)
    const pid = await pidIn(path)
    if (why === 'the caller stops') controller.abort()
    expect(await outcome).toMatch(/^(?:true|the disk broke|This operation was aborted)$/)
    await expect.poll(() => isGone(pid)).toBe(true)
    expect(logged).toEqual([])
  },
)

test('a process that exits kills its scans', async () => {
  const path = join(place, 'exit')
  const program = join(place, 'scans.ts')
  const module = join(import.meta.dirname, 'run-scan.ts')
  await writeFile(
    program,
    `import { runScan } from ${JSON.stringify(module)}
    const caller = { kind: 'staff', group: 'a', member: 'a' }
    runScan({ command: ${JSON.stringify(endless(path))}, content: async function* () {}, caller, log: console })
    process.stdin.once('data', () => process.exit(1))`,
  )
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'inherit', 'inherit'] })
  const ended = once(child, 'exit')
  const pid = await pidIn(path)
  child.stdin.write('x')
  await ended
  await expect.poll(() => isGone(pid)).toBe(true)
})

test("a few scans run concurrently and others wait, so that one partner's scans do not delay another's", async () => {
  const { atOnce, perGroup } = scanLimits
  const [begun, go] = [join(place, 'begun'), join(place, 'go')]
  await writeFile(begun, '')
  /** Starts a scan that runs until the test releases it. */
  const waiting = (name: string) =>
    `echo ${name} >> ${begun}; while [ ! -e ${go}.${name} ]; do sleep 0.05; done`
  const names = async () => (await readFile(begun, 'utf8')).split('\n').filter(Boolean)
  const release = (name: string) => writeFile(`${go}.${name}`, '')
  const start = (name: string, group: string) => scan(waiting(name), { caller: callerOf(group, name) })
  const many = Array.from({ length: 6 }, (_, index) => `many${index}`)
  const scans: Promise<boolean>[] = []
  for (const name of many) scans.push(start(name, 'many'))
  await expect.poll(names).toHaveLength(perGroup)
  for (const [name, group] of [
    ['few0', 'few'],
    ['other0', 'other'],
    ['few1', 'few'],
  ] as const)
    scans.push(start(name, group))
  await expect.poll(names).toHaveLength(atOnce)
  await sleep(200)
  expect(await names()).toHaveLength(atOnce)
  // When a scan ends, the next scan starts.
  for (let ended = 0; ended < scans.length; ended++) {
    await expect.poll(async () => (await names()).length).toBeGreaterThan(ended)
    await release((await names())[ended]!)
  }
  expect(await Promise.all(scans)).toEqual(scans.map(() => true))
  const order = (await names()).map((name) => name.slice(0, -1))
  expect(order.indexOf('other')).toBeLessThan(6)
  expect(order.lastIndexOf('few')).toBeLessThan(order.lastIndexOf('many'))
})
