import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sign } from '#server/webhooks/signature.ts'
import { type SampleRequest, exampleRequest, exampleSecret, languages } from './verify-programs.ts'

// Runs each program whose runtime is installed. Node, Python, and a shell with openssl are available nearly
// everywhere.

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const oldSecret = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
const id = '0b5c1f7e-6f2e-4f0c-9a0e-0d9a4c1b2a3f'
const at = new Date('2026-03-01T17:20:05.000Z')

const sampleOf = (body: string, secrets = [secret]): SampleRequest => ({
  id,
  timestamp: String(at.getTime() / 1000),
  signature: sign({ id, at, body: Buffer.from(body) }, secrets),
  body,
})

const hostile = JSON.stringify({
  type: 'deal.created',
  data: { dealname: 'O\'Brien "Ünal" \\ $HOME `id` ${x} %s {0} <?php ?> \u2028 日本 🙂\n\t\u0007' },
})

/** The Node version that started npm. It may be older than this project's version. */
const installedNode = process.env.npm_node_execpath ?? process.execPath

/** Commands that run each program. */
const commands: Record<string, string[]> = {
  'Node.js': [installedNode, 'verify.mjs'],
  Python: ['python3', 'verify.py'],
  'C#': ['dotnet', 'run', 'Program.cs'],
  PHP: ['php', 'verify.php'],
  Go: ['go', 'run', 'verify.go'],
  curl: ['sh', 'verify.sh'],
}

let place: string
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'snippets-'))
})
afterAll(() => rmSync(place, { recursive: true, force: true }))

function run(
  name: string,
  sample: SampleRequest,
  env: Record<string, string> = {},
): SpawnSyncReturns<string> {
  const language = languages.find((each) => each.name === name)!
  writeFileSync(join(place, language.file), language.program(sample))
  const [program, ...words] = commands[name]!
  return spawnSync(program!, words, {
    cwd: place,
    encoding: 'utf8',
    env: { ...process.env, WEBHOOK_SECRET: secret, ...env },
  })
}

/** Commands that a program needs in addition to its runtime. */
const needs: Record<string, string[]> = { curl: ['openssl'] }

const isThere = (program: string) => spawnSync('sh', ['-c', `command -v "$0"`, program]).status === 0

describe.each(
  Object.entries(commands)
    .filter(([name, [program]]) => [program!, ...(needs[name] ?? [])].every(isThere))
    .map(([name]) => name),
)(
  '%s',
  (name) => {
    test('accepts valid signatures of any text, including signatures by the second secret', () => {
      const { status, stdout, stderr } = run(name, sampleOf(hostile, [oldSecret, secret]))
      expect(stderr).toBe('')
      expect(stdout).toMatch(/^verified/)
      expect(status).toBe(0)
    })

    test('accepts the example from the guide', () =>
      expect(run(name, exampleRequest, { WEBHOOK_SECRET: exampleSecret }).stdout).toMatch(/^verified/))

    test('rejects a wrong secret, a changed body and a malformed signature', () => {
      expect(run(name, sampleOf(hostile), { WEBHOOK_SECRET: oldSecret })).not.toMatchObject({ status: 0 })
      expect(
        run(name, { ...sampleOf(hostile), body: hostile.replace('deal.created', 'deal.updated') }),
      ).not.toMatchObject({ status: 0 })
      expect(run(name, { ...sampleOf(hostile), signature: '' })).not.toMatchObject({ status: 0 })
    })
  },
  60_000,
)

test('Node and a shell are installed', () => expect(['sh', installedNode].every(isThere)).toBe(true))
