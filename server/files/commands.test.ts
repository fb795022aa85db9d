import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalSystem, openLocalSystem } from '#e2e/local-system.ts'
import { printed, refused } from '#e2e/operator.ts'

let system: LocalSystem
let place: string
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'partner-deals-files-'))
  system = await openLocalSystem()
})
afterAll(async () => {
  await system.close()
  await rm(place, { recursive: true })
})

const operator = (...words: string[]) => system.operator(words)

let lastId = 7_000_000

async function makeFile(name: string, content: string): Promise<string> {
  const path = join(place, `${crypto.randomUUID()}-${name}`)
  await writeFile(path, content)
  return path
}

/** Sends a request with this token and returns the response. */
async function ask(token: string, path: string) {
  const response = await fetch(system.url + path, { headers: { authorization: `Bearer ${token.trim()}` } })
  const text = await response.text()
  return { status: response.status, text, json: JSON.parse(text) as Record<string, any> }
}

test('file add prints the id used by the interface; deal remove removes deal and file', async () => {
  const id = ++lastId
  const { token } = await system.makePartner({ deals: [{ id: BigInt(id) }] })
  const path = await makeFile('agreement.pdf', '%PDF-1.7 a signed agreement')
  const added = await operator('file', 'add', path, '--deal', String(id), '--name', 'Agreement Garcia.pdf')
  expect(added).toEqual(printed(expect.stringMatching(/^[A-Za-z0-9_-]{22}\n$/)))
  const fileId = added.stdout.trim()
  const { status, json } = await ask(token, `/api/files/${fileId}`)
  expect({ status, json }).toMatchObject({
    status: 200,
    json: { name: 'Agreement Garcia.pdf', extension: 'pdf', type: 'application/pdf', size: 27 },
  })
  const address = new URL(json['url'] as string)
  expect(await (await fetch(system.url + address.pathname + address.search)).text()).toBe(
    '%PDF-1.7 a signed agreement',
  )

  expect(await operator('deal', 'remove', String(id), '--json')).toEqual(
    printed(`{"id":${id},"removed":true,"files":1}\n`),
  )
  expect((await ask(token, `/api/deals/${id}`)).status).toBe(404)
  expect((await ask(token, `/api/files/${fileId}`)).status).toBe(404)
  expect(await readdir(join(system.dataDir, 'files'))).not.toContain(fileId)
  expect(await operator('deal', 'remove', String(id))).toEqual(refused(`there is no deal ${id}`))
})

test('file add uses the name in the path, and prints details with --json', async () => {
  const id = ++lastId
  await system.makePartner({ deals: [{ id: BigInt(id) }] })
  const path = await makeFile('plan', 'x')
  const { stdout } = await operator('file', 'add', path, '--deal', String(id), '--json')
  expect(JSON.parse(stdout)).toEqual({
    id: expect.any(String),
    deal: id,
    name: path.split('/').at(-1),
    size: 1,
  })
  expect(await operator('deal', 'remove', String(id))).toEqual(printed(`removed ${id}\n`))
})

test('rejects missing or invalid values, and leaves no content behind', async () => {
  const path = await makeFile('plan.dwg', 'x')
  expect(await operator('file', 'add', path, '--deal', '999999999')).toEqual(
    refused('there is no deal 999999999'),
  )
  expect(await operator('file', 'add', path, '--deal', '1e3')).toEqual(
    refused('"1e3" is not the id of a deal'),
  )
  expect(await operator('file', 'add', path, '--deal', '1', '--name', '../up')).toEqual(
    refused('the name must not contain slashes or control characters'),
  )
  expect(await operator('file', 'add', join(place, 'nowhere'), '--deal', '1')).toEqual(
    refused(`there is no file ${JSON.stringify(join(place, 'nowhere'))}`),
  )
  expect(await operator('deal', 'remove', '9223372036854775808')).toEqual(
    refused('"9223372036854775808" is not the id of a deal'),
  )
  const { $client: sql } = system.db
  const known = (await sql<{ id: string }[]>`select id from files`).map(({ id }) => id)
  expect((await readdir(join(system.dataDir, 'files'))).filter((name) => !known.includes(name))).toEqual([])
})
