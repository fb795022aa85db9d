import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

// Tests the real script with an npm stub that only records its calls.

const script = join(import.meta.dirname, 'setup.mjs')
const fakeNpm = `#!/bin/sh
echo "begin $*" >> calls
[ -e running ] && echo collision >> calls
touch running
sleep 0.5
rm running
[ -e broken ] && exit 7
mkdir -p node_modules && touch node_modules/.package-lock.json
`

let place: string
let children: ChildProcess[]

beforeEach(async () => {
  children = []
  place = await mkdtemp(join(tmpdir(), 'setup-'))
  await mkdir(join(place, 'bin'))
  await mkdir(join(place, 'db/patches'), { recursive: true })
  await writeFile(join(place, 'bin/npm'), fakeNpm)
  await chmod(join(place, 'bin/npm'), 0o755)
  await writeFile(join(place, 'package-lock.json'), '{}')
  await utimes(join(place, 'db/patches'), 1, 1)
  await utimes(join(place, 'package-lock.json'), 1, 1)
})

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  await rm(place, { recursive: true })
})

const file = (name: string) => join(place, name)

/** Runs the script and returns its exit code. */
async function setup(): Promise<number | null> {
  const child = spawn(process.execPath, [script], {
    cwd: place,
    env: { ...process.env, PATH: `${file('bin')}:${process.env.PATH}` },
    stdio: 'ignore',
  })
  children.push(child)
  const [code] = (await once(child, 'close')) as [number | null]
  return code
}

const calls = async () => (await readFile(file('calls'), 'utf8').catch(() => '')).trim().split('\n')

async function install(): Promise<void> {
  await mkdir(file('node_modules'))
  await writeFile(file('node_modules/.package-lock.json'), '{}')
}

test('installs once for processes that start at the same time', async () => {
  expect(await Promise.all([setup(), setup(), setup(), setup()])).toEqual([0, 0, 0, 0])
  expect(await calls()).toEqual(['begin ci --no-audit --no-fund --loglevel=error'])
  expect(existsSync(file('.setup-lock'))).toBe(false)
})

test('installs nothing if the dependencies are up to date', async () => {
  await install()
  expect(await setup()).toBe(0)
  expect(await calls()).toEqual([''])
})

test.each(['package-lock.json', 'db/patches'])('installs again when %s is newer', async (source) => {
  await install()
  const later = new Date(Date.now() + 60_000)
  await utimes(file(source), later, later)
  expect(await setup()).toBe(0)
  expect(await calls()).toHaveLength(1)
})

test('waits for an installation already in progress', async () => {
  await install()
  await mkdir(file('.setup-lock'))
  let code: number | null | undefined
  const ended = setup().then((value) => (code = value))
  await vi.waitFor(() => expect(children[0]!.pid).toBeDefined())
  await new Promise((resolve) => setTimeout(resolve, 1000))
  expect(code).toBeUndefined()
  await rm(file('.setup-lock'), { recursive: true })
  await ended
  expect(code).toBe(0)
  expect(await calls()).toEqual([''])
})

test('repeats an installation that was killed', async () => {
  await install()
  await mkdir(file('.setup-lock'))
  await utimes(file('.setup-lock'), 1, 1)
  expect(await setup()).toBe(0)
  expect(await calls()).toHaveLength(1)
  expect(existsSync(file('.setup-lock'))).toBe(false)
})

test("exits with npm's exit code, and lets the next process try", async () => {
  await writeFile(file('broken'), '')
  expect(await setup()).toBe(7)
  expect(existsSync(file('.setup-lock'))).toBe(false)
  await rm(file('broken'))
  expect(await setup()).toBe(0)
  expect(await calls()).toHaveLength(2)
})
