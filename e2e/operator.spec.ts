import { expect, test } from './fixtures.ts'
import { refused } from './operator.ts'
import { ask } from './rest/client.ts'
import { newIds } from './rest/deals.ts'
import { run } from './system.ts'

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
