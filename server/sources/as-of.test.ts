import { afterAll, beforeAll, expect, test } from 'vitest'
import { StandIn } from '#e2e/crm/stand-in.ts'
import { type LocalSystem, openLocalSystem } from '#e2e/local-system.ts'
import { printed, refused, runOperator } from '#e2e/operator.ts'
import { AsOfRecorder, readSourceHealth } from './as-of-store.ts'

const crm = new StandIn()
let system: LocalSystem
beforeAll(async () => {
  await crm.listen()
  system = await openLocalSystem({ env: { HUBSPOT_URL: crm.url } })
})
afterAll(async () => {
  await system.close()
  await crm.close()
})

const source = (words: string[], input?: string) =>
  runOperator(system.services, ['source', ...words], input === undefined ? {} : { input })

test('a command connects a source, with a token that is tested first', async () => {
  expect(await new AsOfRecorder(system.db, () => true).get()).toBeNull()
  expect(await source(['connect', 'HubSpot'], 'wrong')).toEqual(
    refused('HubSpot rejects the access token. Create a new one in the private app and set it here'),
  )
  // A token with the extra characters that copying from a web page or a script adds.
  expect(await source(['connect', 'HubSpot'], ` "Bearer ${crm.token}"\u200b\n`)).toEqual(printed('HubSpot\n'))
  expect(await source(['list'])).toEqual(printed('HubSpot\thubspot\tloading\t-\t-\n'))
  expect(await source(['poll', 'HubSpot', '2'])).toMatchObject({ code: 1 })
  expect(await source(['pause', 'Salesforce'])).toEqual(
    refused('there is no source "Salesforce"; "source list" shows all'),
  )
  const [row] = await system.db.$client<{ secret: string }[]>`select secret from sources`
  expect(row!.secret).not.toContain(crm.token)
  expect(system.output()).not.toContain(crm.token)
})

test('every REST response states the time of its data, and metrics include the lag', async () => {
  const { token } = await system.makePartner()
  await system.db.$client`update sources set as_of = '2026-03-01T17:20:05Z'`
  for (const path of ['/api/deals', '/api/deals', '/api/deals/1']) {
    const { headers } = await fetch(system.url + path, { headers: { authorization: `Bearer ${token}` } })
    expect(headers.get('x-data-as-of')).toBe('2026-03-01T17:20:05.000Z')
  }
  expect((await readSourceHealth(system.db)).lagS).toBeGreaterThan(1e6)
})
