import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from './fixtures.ts'
import { refused } from './operator.ts'
import { ask } from './rest/client.ts'
import { newIds } from './rest/deals.ts'
import { run, startSystem } from './system.ts'

// Operator commands as separate processes. Unit tests cover the effects of each command.

test("npm run -s operator prints only the command's output on standard output", async ({ system }) => {
  const { slug, token } = await system.makePartner()
  const env = { ...process.env, DATA_DIR: system.dataDir, PORT: new URL(system.url).port }
  const operator = (words: string[], input?: string) =>
    run('npm', ['run', '-s', 'operator', '--', ...words], env, input)
  expect(await operator(['token', 'create', '--partner', slug, '--name', 'x'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^pd_[0-9A-Za-z]{36}\n$/),
  })
  const imported = await operator(['import', '-', '--partner', slug], `{"id":${newIds(1)[0]}}\nnonsense\n`)
  expect(imported).toMatchObject({ code: 1, stdout: 'created 1, updated 0, unchanged 0, rejected 1\n' })
  expect((await ask(system, 'GET /api/deals', { token })).json.count).toBe(1)
})

test('a failed command prints the reason on standard error and exits with 1', async ({ system }) => {
  expect(await system.operator(['partner', 'suspend', 'nobody'])).toEqual(
    refused('there is no partner "nobody"; "partner list" shows all'),
  )
  expect(await system.operator(['partner', 'create', 'unnamed'])).toEqual({
    code: 1,
    stdout: '',
    stderr: "error: required option '--name <name>' not specified\n",
  })
})

test('while stopped, commands work, even two at the same time, and leave no database running', async () => {
  const system = await startSystem()
  const { slug, token } = await system.makePartner()
  expect(await system.stop()).toBe(0)
  const results = await Promise.all([
    system.operator(['import', '-', '--partner', slug], '{"id":1,"stage":"NTP"}\n'),
    system.operator(['partner', 'create', 'second', '--name', 'Second']),
    system.operator(['token', 'create', '--partner', slug, '--name', 'x']),
  ])
  expect(results.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
    results.map(() => ({ code: 0, stderr: '' })),
  )
  expect(results[0]!.stdout).toBe('created 1, updated 0, unchanged 0, rejected 0\n')
  expect(existsSync(join(system.dataDir, 'postgres/postmaster.pid'))).toBe(false)
  const again = await startSystem({ dataDir: system.dataDir })
  for (const issued of [token, results[2]!.stdout.trim()])
    expect((await ask(again, 'GET /api/deals', { token: issued })).json.count).toBe(1)
  await again.dispose()
})
