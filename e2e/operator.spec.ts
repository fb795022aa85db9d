import { expect, test } from '@playwright/test'
import { printed, refused } from './operator.ts'
import { type RunningSystem, run, startSystem } from './system.ts'

// The operator's commands as separate processes, next to a running system and without one. Each command's
// effects are tested in its room, in the test's process.

let system: RunningSystem
test.beforeAll(async () => {
  system = await startSystem()
})
test.afterAll(() => system.dispose())

const operator = (...words: string[]) => system.operator(words)
const tokenText = /^pd_[0-9A-Za-z]{36}\n$/

let lastId = 7_000_000
const makeIds = (count: number) => Array.from({ length: count }, () => ++lastId)

/** Returns the response to the token's holder. */
async function ask(token: string, path: string) {
  const response = await fetch(system.url + path, { headers: { authorization: `Bearer ${token.trim()}` } })
  const text = await response.text()
  return { status: response.status, text, json: JSON.parse(text) as Record<string, any> }
}

/** Returns the deals that a token can see, each as its response text. */
async function dealsOf(token: string): Promise<string[]> {
  const { text } = await ask(token, '/api/deals?size=25')
  return /"deals":\[(.*)\]\}$/
    .exec(text)![1]!
    .split(/(?<=\}),(?=\{"id":\d+,"owner":)/)
    .filter((deal) => deal !== '')
}

const eventsOf = async (token: string) =>
  (await ask(token, '/api/events')).json['events'] as { type: string }[]

test("npm run -s operator prints only the command's output on standard output", async () => {
  const { slug, token } = await system.makePartner()
  const env = { ...process.env, DATA_DIR: system.dataDir, PORT: new URL(system.url).port }
  const made = await run(
    'npm',
    ['run', '-s', 'operator', '--', 'token', 'create', '--partner', slug, '--name', 'x'],
    env,
  )
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(tokenText) })
  const [id] = makeIds(1)
  const imported = await run(
    'npm',
    ['run', '-s', 'operator', '--', 'import', '-', '--partner', slug],
    env,
    `{"id":${id}}\nnonsense\n`,
  )
  expect(imported).toMatchObject({ code: 1, stdout: 'created 1, updated 0, unchanged 0, rejected 1\n' })
  expect(await dealsOf(token)).toHaveLength(1)
  expect(await eventsOf(token)).toHaveLength(1)
})

test('a command that fails says why on standard error and ends with 1', async () => {
  expect(await operator('partner', 'suspend', 'nobody')).toEqual(
    refused('there is no partner "nobody"; "partner list" shows all'),
  )
  expect(await operator('partner', 'create', 'unnamed')).toEqual({
    code: 1,
    stdout: '',
    stderr: "error: required option '--name <name>' not specified\n",
  })
})

test('suspend and resume take effect in a running system at once', async () => {
  const { slug, token } = await system.makePartner()
  const status = async () => (await ask(token, '/api/deals')).status
  expect(await status()).toBe(200)
  expect(await operator('partner', 'suspend', slug)).toEqual(printed(`suspended ${slug}\n`))
  expect(await status()).toBe(401)
  expect(await operator('partner', 'resume', slug)).toEqual(printed(`resumed ${slug}\n`))
  expect(await status()).toBe(200)
})

// Last, because it stops the system.
test('webhook show and set work while the system is stopped', async () => {
  const { slug } = await system.makePartner()
  const show = async () =>
    JSON.parse((await operator('webhook', 'show', '--partner', slug, '--reveal')).stdout) as object
  const { secret } = (await show()) as { secret: string }
  expect(await system.stop()).toBe(0)
  expect(
    await operator('webhook', 'set', '--partner', slug, '--update-url', 'https://1.1.1.1/', '--json'),
  ).toEqual(printed('{"createURL":null,"updateURL":"https://1.1.1.1/"}\n'))
  expect(await show()).toEqual({ createURL: null, updateURL: 'https://1.1.1.1/', secret })
})
