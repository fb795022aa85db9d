import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { demoPartners } from '#db/demo/demo.ts'
import { freePort } from '#db/free-port.ts'
import { findPartner } from '#server/accounts/store.ts'
import { demoAccess } from '#server/programs/demo.ts'
import { encryptionKeyFrom } from '#server/values/encryption.ts'
import { readSecrets } from '#server/webhooks/secret-store.ts'
import { startReceiver, verified } from './receiver.ts'
import { ask } from './rest/client.ts'
import { startSystem } from './system.ts'

const pollS = 5
const withinS = 15

/** Starts the program that `npm run crm:demo` runs. Returns the process and its output once the program is ready. */
async function startDemo(): Promise<{ child: ChildProcess; text: string; url: string; page: string }> {
  const port = await freePort()
  const child = spawn(process.execPath, ['e2e/crm/demo.ts'], {
    cwd: join(import.meta.dirname, '..'),
    env: { ...process.env, CRM_PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  for await (const chunk of child.stdout!) {
    text += String(chunk)
    if (text.includes('source assign')) break
  }
  return { child, text, url: `http://127.0.0.1:${port}`, page: `http://127.0.0.1:${port + 1}` }
}

test('crm:demo prints commands that connect its CRM: a stage change reaches REST and a verified webhook within 15 seconds of the next poll', async () => {
  test.setTimeout(180_000)
  const demo = await startDemo()
  const system = await startSystem({ env: { DEMO: 'on', HUBSPOT_URL: demo.url } })
  const receiver = await startReceiver()
  try {
    const [, token] = /echo (\S+) \|/.exec(demo.text)!
    const commands = [...demo.text.matchAll(/operator -- (source .*)$/gm)].map(([, words]) =>
      words!.split(' '),
    )
    expect(commands.map(([, name]) => name)).toEqual(['connect', 'poll', 'assign'])
    expect(commands[1]).toContain(String(pollS))
    for (const words of commands) expect(await system.operator(words, token)).toMatchObject({ code: 0 })

    const access = (await demoAccess({ db: system.db, config: { dataDir: system.dataDir } }))!
    const form = await (await fetch(demo.page)).text()
    const row = new RegExp(`<tr><td>(\\d+)</td>.*<td>${demoPartners[0]!.slug}</td>`).exec(form)!
    const path = `/api/deals/${row[1]}`
    const stageOf = async () => (await ask(system, `GET ${path}`, { token: access.token })).json?.stage
    await expect.poll(stageOf, { timeout: 60_000 }).toBeTruthy()
    const [before, after] = ['Install Scheduled', 'Permit Submitted']
    const change = (stage: string) =>
      fetch(demo.page, {
        method: 'POST',
        body: new URLSearchParams({ do: 'change', id: row[1]!, dealstage: stage }),
      })
    await change('1002')
    await expect.poll(stageOf, { timeout: 30_000 }).toBe(before)

    const hooks = { createURL: receiver.url, updateURL: receiver.url }
    expect((await ask(system, 'POST /api/webhook', { token: access.token, json: hooks })).status).toBe(200)
    // Matches the change even among other events: earlier events are sent, too, and the deal may have been
    // created in this stage.
    const isTheChange = (body: string) =>
      (JSON.parse(body) as { changes: { field: string; to: unknown }[] }).changes.some(
        ({ field, to }) => field === 'stage' && to === after,
      )
    const received = () =>
      receiver.requests.find(({ dealId, body }) => dealId === row[1] && isTheChange(body))
    const changed = performance.now()
    await change('1001')
    const timeout = (pollS + withinS) * 1000
    const seconds = async (seen: Promise<unknown>) => {
      await seen
      return (performance.now() - changed) / 1000
    }
    const took = await Promise.all([
      seconds(expect.poll(stageOf, { timeout }).toBe(after)),
      seconds(expect.poll(received, { timeout }).toBeDefined()),
    ])
    expect(Math.max(...took)).toBeLessThan(pollS + withinS)
    const key = encryptionKeyFrom(await readFile(join(system.dataDir, 'encryption-key'), 'utf8'))
    const partner = (await findPartner(system.db, demoPartners[0]!.slug))!
    const { secret } = (await readSecrets(system.db, partner.id, key))[0]!
    expect(verified(secret, received()!)).toMatchObject({
      type: 'deal.updated',
      data: { stage: after },
      changes: expect.arrayContaining([{ field: 'stage', from: before, to: after }]),
    })
    test.info().annotations.push({
      type: 'seconds from the change until REST and webhook had it',
      description: took.map((each) => each.toFixed(1)).join(', '),
    })
  } finally {
    await receiver.close()
    await system.dispose()
    demo.child.kill()
    await once(demo.child, 'close')
  }
})
