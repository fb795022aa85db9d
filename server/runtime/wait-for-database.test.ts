import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { listenLocally } from '#e2e/loopback.ts'
import { openTestDatabase } from '#e2e/open-database.ts'
import { waitForDatabase } from './wait-for-database.ts'

const database = await openTestDatabase()
const name = new URL(database.url).pathname.slice(1)

/** Waits for the database. Returns the messages and the result. */
async function wait(url: string, waitS: number, stopping?: Promise<void>) {
  const messages: string[] = []
  const config = { databaseUrl: url, databaseDirectUrl: url, databaseWaitS: waitS }
  const end = await waitForDatabase(config, (message) => messages.push(message), stopping).then(
    () => 'ready',
    ({ message }: Error) => message,
  )
  return { messages, end }
}

const nobody = 'postgres://deals:secret@127.0.0.1:1,127.0.0.1:2/deals'
const setReadOnly = (value: 'on' | 'off') =>
  database.db.$client.unsafe(`alter database ${name} set default_transaction_read_only = ${value}`)

test('does not wait for a database that responds', async () => {
  expect(await wait(database.url, 0)).toEqual({ messages: [], end: 'ready' })
})

test('waits for a silent database, then reports it', async () => {
  const where = 'the database at 127.0.0.1:1, 127.0.0.1:2'
  expect(await wait(nobody, 1)).toEqual({
    messages: [`Waiting up to 1 seconds for ${where}: nothing accepts connections there.`],
    end: `The database at 127.0.0.1:1, 127.0.0.1:2 cannot be used after 1 seconds: nothing accepts connections there.`,
  })
})

test('reports that it is waiting before a silent server has used up an attempt', async () => {
  const { port, close } = await listenLocally(createServer())
  const host = `127.0.0.1:${port}`
  expect((await wait(`postgres://deals@${host}/deals`, 30, sleep(2300))).messages).toEqual([
    `Waiting up to 30 seconds for the database at ${host}: it does not respond.`,
  ])
  await close()
})

test('reports a server without TLS when sslmode requires it', async () => {
  const { end } = await wait(`${database.url}?sslmode=require`, 0)
  expect(end).toMatch(
    /cannot be used after 0 seconds: it does not offer TLS, which sslmode in its URL requires\.$/,
  )
})

test('uses a database that starts in time', async () => {
  await setReadOnly('on')
  const waiting = wait(database.url, 20)
  await sleep(700)
  // The session that turns off read-only mode must itself begin in read-write mode.
  await database.db.$client.begin('read write', (sql) =>
    sql.unsafe(`alter database ${name} reset default_transaction_read_only`),
  )
  const { messages, end } = await waiting
  expect(end).toBe('ready')
  expect(messages).toEqual([
    `Waiting up to 20 seconds for the database at ${new URL(database.url).host}: the database is read-only: ` +
      'it is a standby, or default_transaction_read_only is on (DATABASE_URL).',
  ])
})

test.each([
  ['a wrong password', () => database.url.replace(/:[^:@]+@/, ':wrong@'), 'the password is wrong'],
  ['no such database', () => `${database.url}_not`, 'there is no such database'],
])('reports %s immediately', async (_what, url, reason) => {
  expect(await wait(url(), 30)).toEqual({
    messages: [],
    end: `The database at ${new URL(database.url).host} cannot be used: ${reason}.`,
  })
})

test('a stopping process does not wait', async () => {
  const { end } = await wait(nobody, 60, sleep(100) as Promise<void>)
  expect(end).toBe('Stopped while waiting for the database.')
})
