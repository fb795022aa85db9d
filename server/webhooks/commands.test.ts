import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { freePort } from '#db/free-port.ts'
import { type LocalSystem, openLocalSystem } from '#e2e/local-system.ts'
import { printed, refused } from '#e2e/operator.ts'
import type { TestPartner } from '#e2e/partners.ts'
import { type Receiver, startReceiver, verified } from '#e2e/receiver.ts'
import { bringIn, newDeals, newIds } from '#e2e/rest/deals.ts'

let system: LocalSystem
let receiver: Receiver
beforeAll(async () => {
  system = await openLocalSystem({ env: { WEBHOOK_RETRY_SCHEDULE: '0s' }, worker: true })
  receiver = await startReceiver()
})
afterAll(async () => {
  await receiver.close()
  await system.close()
})
beforeEach(() => {
  receiver.answer = () => 200
  receiver.requests.length = 0
})

const operator = (...words: string[]) => system.operator(words)

/** Runs a command on the webhooks of a partner. Arguments must not contain spaces. */
const webhook = (verb: string, { slug }: { slug: string }, options = '') =>
  system.operator(['webhook', verb, '--partner', slug, ...options.split(' ').filter((word) => word !== '')])

/** Returns the response to a request with this token. */
async function ask(method: string, path: string, token: string, json?: unknown) {
  const response = await fetch(system.url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  })
  return { status: response.status, text: await response.text() }
}

const secretText = /^whsec_[A-Za-z0-9+/]{43}=$/
const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`

/** Returns the stored URLs as JSON. */
async function show(slug: string, options?: string): Promise<Record<string, string | null>> {
  const { code, stdout, stderr } = await webhook('show', { slug }, options)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout) as Record<string, string | null>
}

/** Returns a partner whose events are sent to the receiver. */
async function makeListener(): Promise<TestPartner> {
  const partner = await system.makePartner()
  const urls = { createURL: `${receiver.url}/created`, updateURL: `${receiver.url}/updated` }
  expect((await ask('POST', '/api/webhook', partner.token, urls)).status).toBe(200)
  return partner
}

const deliveriesOf = ({ id }: TestPartner) =>
  system.db.$client<{ id: string; state: string }[]>`
    select id, state from deliveries where partner_id = ${id} order by id`
const statesOf = async (partner: TestPartner) => (await deliveriesOf(partner)).map(({ state }) => state)
const idsOf = async (partner: TestPartner) => (await deliveriesOf(partner)).map(({ id }) => id)

describe('the commands webhook show and webhook set', () => {
  test('print both URLs as JSON, and the secret only with --reveal', async () => {
    const partner = await system.makePartner()
    expect(await webhook('show', partner)).toEqual(
      printed('{\n  "createURL": null,\n  "updateURL": null\n}\n'),
    )
    const [create, update] = ['https://1.1.1.1/created?a=1', 'https://1.1.1.1/updated']
    expect(await webhook('set', partner, `--create-url ${create} --update-url ${update}`)).toEqual(
      printed(`{\n  "createURL": "${create}",\n  "updateURL": "${update}"\n}\n`),
    )
    expect(await webhook('set', partner, '--update-url= --json')).toEqual(
      printed(`{"createURL":"${create}","updateURL":null}\n`),
    )
    expect(await webhook('set', partner, '--create-url= --update-url https://10.0.0.1/')).toEqual(
      refused('--update-url 10.0.0.1 is a private address. Use a public one'),
    )
    const secret = expect.stringMatching(secretText) as string
    expect(await show(partner.slug, '--reveal')).toEqual({ createURL: create, updateURL: null, secret })
  })

  test('report a disabled endpoint on standard error; set enables the endpoint', async () => {
    const partner = await makeListener()
    receiver.answer = () => 410
    await bringIn(system, partner, newDeals(1))
    await expect.poll(() => statesOf(partner)).toEqual(['failed'])
    const { code, stdout, stderr } = await webhook('show', partner, '--json')
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `{"createURL":"${receiver.url}/created","updateURL":"${receiver.url}/updated"}\n`,
    })
    expect(stderr).toMatch(
      new RegExp(`^createURL was switched off at ${time} \\(gone\\); "webhook set" switches it on again\n$`),
    )
    await webhook('set', partner, `--create-url ${receiver.url}/created`)
    expect((await show(partner.slug))['createURL']).toBe(`${receiver.url}/created`)
  })
})

test('`webhook subscriptions` lists the subscriptions of a partner', async () => {
  const partner = await system.makePartner()
  const list = (...words: string[]) =>
    operator('webhook', 'subscriptions', '--partner', partner.slug, ...words)
  expect(await list()).toEqual(printed(''))
  const subscription = { url: receiver.url, filter: { stage: 'Sold' }, changed: ['amount', 'stage'] }
  const { text } = await ask('POST', '/api/webhooks', partner.token, subscription)
  const { id } = JSON.parse(text) as { id: string }
  expect(await list()).toEqual(
    printed(`${id}\t-\t${receiver.url}\tdeal.created,deal.updated\t{"stage":"Sold"}\tamount,stage\t-\n`),
  )
  expect(JSON.parse((await list('--json')).stdout)).toEqual([JSON.parse(text)])
})

test('webhook rotate prints only the new secret; the old secret stays valid', async () => {
  const partner = await makeListener()
  const { secret: before } = await show(partner.slug, '--reveal')
  const rotated = await webhook('rotate', partner)
  expect(rotated).toEqual(printed(expect.stringMatching(/^whsec_\S{44}\n$/)))
  const secret = rotated.stdout.trim()
  expect(secret).not.toBe(before)
  expect(await show(partner.slug, '--reveal')).toMatchObject({ secret })
  expect(await webhook('test', partner, '--endpoint update')).toMatchObject({ code: 0 })
  for (const one of [secret, before!])
    expect(verified(one, receiver.requests[0]!)).toMatchObject({ test: true })
})

describe('the command webhook test', () => {
  test('sends a test to one or all endpoints, and prints the results', async () => {
    const partner = await makeListener()
    const { secret } = await show(partner.slug, '--reveal')
    expect(await webhook('test', partner)).toEqual(
      printed(
        expect.stringMatching(/^create\tdelivered\t200\t-\t\d+ ms\nupdate\tdelivered\t200\t-\t\d+ ms\n$/),
      ),
    )
    for (const request of receiver.requests) expect(verified(secret!, request)).toMatchObject({ test: true })
    const { stdout } = await webhook('test', partner, '--endpoint create --json')
    expect(JSON.parse(stdout)).toMatchObject([
      { kind: 'create', state: 'delivered', status: 200, error: null, responseBody: 'taken' },
    ])
    expect(receiver.requests).toHaveLength(3)
  })

  test('exits with 1 if a test was not delivered', async () => {
    const partner = await makeListener()
    await webhook('set', partner, `--create-url http://127.0.0.1:${await freePort()}/`)
    expect(await webhook('test', partner)).toEqual({
      code: 1,
      stderr: '',
      stdout: expect.stringMatching(
        /^create\tfailed\t-\tthe connection was refused\t\d+ ms\nupdate\tdelivered\t200\t-\t\d+ ms\n$/,
      ),
    })
  })

  test('fails if no URL is set', async () => {
    const partner = await system.makePartner()
    const reason = refused('no endpoint is set; set one with "webhook set"')
    expect(await webhook('test', partner)).toEqual(reason)
    await webhook('set', partner, '--create-url https://1.1.1.1/')
    expect(await webhook('test', partner, '--endpoint update')).toEqual(reason)
  })
})

test('deliveries list prints the newest first, filtered, one per line or as JSON', async () => {
  const partner = await makeListener()
  const [first, second] = newDeals(2)
  receiver.answer = ({ sequence }) => (sequence === 2 ? 500 : 200)
  await bringIn(system, partner, [first!])
  await bringIn(system, partner, [second!])
  await bringIn(system, partner, [{ id: first!.id, stage: 'Permit' }])
  await expect.poll(() => statesOf(partner)).toEqual(['delivered', 'failed', 'delivered'])
  await operator('webhook', 'test', '--partner', partner.slug, '--endpoint', 'create')
  const list = async (...words: string[]) =>
    (await operator('deliveries', 'list', '--partner', partner.slug, ...words)).stdout
  const lines = (await list())
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))
  expect(lines.map(([, , ...cells]) => cells)).toEqual([
    ['create', 'test', '-', 'delivered', '1 attempt', '-'],
    ['update', '#3', String(first!.id), 'delivered', '1 attempt', '-'],
    ['create', '#2', String(second!.id), 'failed', '1 attempt', '-'],
    ['create', '#1', String(first!.id), 'delivered', '1 attempt', '-'],
  ])
  for (const [id, createdAt] of lines) expect(`${id} ${createdAt}`).toMatch(new RegExp(`^\\d+ ${time}$`))
  const options = ['--state', 'failed', '--endpoint', 'create', '--deal', String(second!.id), '--limit', '1']
  expect(JSON.parse(await list('--json', ...options))).toMatchObject([
    { id: Number(lines[2]![0]), kind: 'create', sequence: 2, state: 'failed', attemptCount: 1 },
  ])
  expect(await list('--search', '302')).toBe('')
})

test('deliveries resend sends one delivery or all failed ones again; --dry-run only counts', async () => {
  const partner = await makeListener()
  receiver.answer = () => 500
  const [first, ...rest] = newDeals(3)
  await bringIn(system, partner, [first!, ...rest])
  await expect.poll(() => statesOf(partner)).toEqual(['failed', 'failed', 'failed'])
  receiver.answer = () => 200
  const resend = (...words: string[]) => operator('deliveries', 'resend', '--partner', partner.slug, ...words)
  const ids = await idsOf(partner)
  expect(await resend(ids[1]!)).toEqual(printed('1 to be sent again\n'))
  await expect.poll(() => statesOf(partner)).toEqual(['failed', 'delivered', 'failed'])
  expect(await resend('--failed-since', '2999-01-01')).toEqual(printed('0 to be sent again\n'))
  const since = ['--failed-since', '2026-01-01T00:00:00Z']
  expect(await resend(...since, '--dry-run', '--json')).toEqual(printed('{"count":2}\n'))
  expect(await resend(...since, '--search', '302', '--dry-run')).toEqual(printed('0 failed\n'))
  expect(await resend(...since, '--retrying', '--endpoint', 'create', '--dry-run')).toEqual(
    printed('2 failed or retrying\n'),
  )
  expect(await resend('--failed-since', '2026-01-01', '--json')).toEqual(printed('{"count":2}\n'))
  await expect.poll(() => statesOf(partner)).toEqual(['delivered', 'delivered', 'delivered'])
  expect(new Set(receiver.requests.map(({ id }) => id)).size).toBe(3)
  expect(receiver.requests).toHaveLength(6)

  const other = await system.makePartner()
  expect(await operator('deliveries', 'resend', ids[0]!, '--partner', other.slug)).toEqual(
    refused(`there is no delivery "${ids[0]}" of an event to an endpoint that is set`),
  )
  await bringIn(system, other, [{ id: first!.id }])
  expect(await resend(ids[0]!)).toEqual(refused('Not resent: deal moved to another partner'))
  expect((await operator('deliveries', 'list', '--partner', partner.slug)).stdout).toContain(
    'Deal moved to another partner',
  )
})

test('events list prints one line per event in order, or JSON', async () => {
  const partner = await system.makePartner()
  const [id] = newIds(1)
  await bringIn(system, partner, [{ id: id!, stage: 'Sold' }])
  await bringIn(system, partner, [{ id: id!, stage: 'Permit\nSubmitted', amount: 1 }])
  const list = (...words: string[]) => operator('events', 'list', '--partner', partner.slug, ...words)
  const lines = async (...words: string[]) =>
    (await list(...words)).stdout.replaceAll(new RegExp(`\t${time}\t`, 'g'), ' at ')
  const [first, second] = [
    `#1 at deal.created\t${id}\t-\n`,
    `#2 at deal.updated\t${id}\tstage: "Sold" → "Permit\\nSubmitted", amount: null → 1\n`,
  ]
  expect(await lines()).toBe(first + second)
  expect(await lines('--after', '1')).toBe(second)
  expect(await lines('--limit', '1')).toBe(first)
  const { text } = await ask('GET', '/api/events', partner.token)
  expect(`{"events":${(await list('--json')).stdout.trimEnd()},"last":2,"next":2}`).toBe(text)
  expect(await list('--after', '2')).toEqual(printed(''))
  expect(await list('--after', '2', '--json')).toEqual(printed('[]\n'))
})

test('invalid arguments exit with 1 and advice', async () => {
  const { slug } = await system.makePartner()
  const noTime = '--failed-since must be a time such as 2026-03-01T17:20:00Z'
  const wrong: [string[], string][] = [
    [['webhook', 'show', '--partner', 'nobody'], 'there is no partner "nobody"; "partner list" shows all'],
    [['webhook', 'set', '--partner', slug], 'give --create-url <url>, --update-url <url> or both'],
    [['deliveries', 'resend', '--partner', slug], 'say which: an id, or --failed-since <time>'],
    [
      ['deliveries', 'resend', '1', '--partner', slug, '--failed-since', '2026-01-01'],
      'say which: an id, or --failed-since <time>',
    ],
    [
      ['deliveries', 'resend', 'x', '--partner', slug],
      'the id must be a whole number from 1 to 9007199254740991',
    ],
    [
      ['deliveries', 'resend', '1', '--partner', slug, '--retrying'],
      '--retrying, --endpoint and --search narrow those of --failed-since',
    ],
    [
      ['deliveries', 'resend', '1', '--partner', slug, '--dry-run'],
      '--dry-run counts those of --failed-since',
    ],
    [['deliveries', 'resend', '--partner', slug, '--failed-since', 'yesterday'], noTime],
    [['deliveries', 'resend', '--partner', slug, '--failed-since', '2026-13-01'], noTime],
    [['deliveries', 'list', '--partner', slug, '--deal', '1e3'], '"1e3" is not the id of a deal'],
    [
      ['deliveries', 'list', '--partner', slug, '--limit', '0'],
      '--limit must be a whole number from 1 to 10000',
    ],
    [
      ['events', 'list', '--partner', slug, '--after', '-1'],
      '--after must be a whole number from 0 to 9007199254740991',
    ],
  ]
  expect(await Promise.all(wrong.map(([words]) => operator(...words)))).toEqual(
    wrong.map(([, reason]) => refused(reason)),
  )
  const unspoken = [
    ['webhook', 'show'],
    ['webhook', 'rotate', 'x', '--partner', slug],
    ['webhook', 'test', '--partner', slug, '--endpoint', 'both'],
    ['deliveries', 'list', '--partner', slug, '--state', 'x'],
    ['webhooks'],
  ]
  for (const { code, stdout, stderr } of await Promise.all(unspoken.map((words) => operator(...words)))) {
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^error: .+\n/)
  }
})
