import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, test } from '@playwright/test'
import { startEmbedded } from '#db/embedded.ts'
import { freePort } from '#db/free-port.ts'
import { nodeArguments, temporaryDirectory } from './system.ts'

// The container image, built on an available base image and started as its user. For Buildah, set
// CONTAINER_BASE=localhost/bookworm.

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')
const base = process.env.CONTAINER_BASE
const isInstalled = spawnSync('buildah', ['--version']).status === 0
const image = 'localhost/partner-deals-tested'
const mbMax = 350
const stopMs = 10_000

test.skip(base === undefined || !isInstalled, 'needs Buildah, and a base image named by CONTAINER_BASE')

const buildah = async (...words: string[]) =>
  (await run('buildah', words, { cwd: root, maxBuffer: 2 ** 24 })).stdout.trim()

test('the image is small, runs unprivileged on a read-only file system, and stops in time', async () => {
  test.setTimeout(600_000)
  await using stack = new AsyncDisposableStack()
  const directory = await temporaryDirectory()
  await run(process.execPath, ['server/programs/container/runtime-files.ts', join(directory, 'out')], {
    cwd: root,
  })
  const file = ['--file', 'server/programs/container/Containerfile', '--format', 'docker', '--tag', image]
  const stages = ['--build-context', `build=${directory}`, '--build-arg', `BASE_IMAGE=${base}`]
  await buildah('build', ...file, ...stages, '.')
  stack.defer(async () => void (await buildah('rmi', image)))
  const size = await buildah('images', '--format', '{{.Size}}', image)
  expect(size).toMatch(/^\d+(?:\.\d+)? MB$/)
  expect(parseFloat(size)).toBeLessThanOrEqual(mbMax)
  const { Docker } = JSON.parse(await buildah('inspect', '--type', 'image', image))
  expect(Docker.config).toMatchObject({ User: '10001:10001', Healthcheck: { Test: expect.any(Array) } })

  const container = await buildah('from', image)
  stack.defer(async () => void (await buildah('rm', container)))
  const inContainer = (...words: string[]) => buildah('run', container, '--', ...words)
  expect(await inContainer('id', '-u')).toBe('10001')
  expect(await inContainer('find', '/app', '-writable', '-not', '-type', 'l')).toBe('')
  expect(await inContainer('ls', '/app/node_modules')).not.toMatch(/typescript|playwright|vitest|embedded/)

  const dataDir = join(directory, 'data')
  await mkdir(dataDir)
  const embedded = stack.adopt(
    await startEmbedded({ dataDir, database: 'deals', log: () => {} }),
    ({ stop }) => stop(),
  )
  const port = await freePort()
  const env = { DATABASE_URL: embedded.url, PORT: String(port), DEMO: 'off' }
  const settings = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`])
  const program = ['/app/bin/node', ...nodeArguments, 'server/main.ts']
  const web = spawn('buildah', ['run', ...settings, container, '--', ...program], { stdio: 'inherit' })
  stack.defer(() => void web.kill('SIGKILL'))
  const url = `http://127.0.0.1:${port}`
  await expect.poll(() => statusOf(`${url}/readyz`), { timeout: 60_000 }).toBe(200)
  for (const path of ['/sign-in', '/docs', '/api/openapi.json']) expect(await statusOf(url + path)).toBe(200)
  await inContainer('env', `PORT=${port}`, '/app/bin/node', 'server/programs/container/health-check.ts')
  await expectEndSoon(web)
})

const statusOf = (url: string) =>
  fetch(url).then(
    ({ status }) => status,
    () => null,
  )

async function expectEndSoon(web: ChildProcess): Promise<void> {
  const ended = once(web, 'exit')
  // Signal the process directly: unlike a container engine, Buildah does not forward signals.
  const { stdout } = await run('pgrep', ['--full', '^/app/bin/node .*server/main.ts'])
  process.kill(Number(stdout), 'SIGTERM')
  expect(await Promise.race([ended, sleep(stopMs, 'still running')])).toEqual([0, null])
}
