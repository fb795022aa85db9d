import { randomUUID } from 'node:crypto'
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { sliceBytes } from '#server/imports/wire.ts'
import { signedInUser } from '../portal-user.ts'
import { embeddedUrl, startSystem } from '../system.ts'
import { startStore } from './stand-in.ts'

// Two processes that share a database and an object store but no directory.

/** Returns a client that sends the user's requests to the process at `url`. */
function clientOf(url: string, cookie: string) {
  const headers = { cookie, origin: url }
  return {
    async call(name: string, input: object): Promise<Record<string, any>> {
      const response = await fetch(`${url}/api/trpc/imports.${name}`, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify({ json: input }),
      })
      expect([name, response.status]).toEqual([name, 200])
      return ((await response.json()) as { result: { data: { json: Record<string, any> } } }).result.data.json
    },
    async one(id: number): Promise<Record<string, any>> {
      const input = encodeURIComponent(JSON.stringify({ json: { id } }))
      const response = await fetch(`${url}/api/trpc/imports.one?input=${input}`, { headers })
      return ((await response.json()) as { result: { data: { json: Record<string, any> } } }).result.data.json
    },
    async send(id: number, content: Buffer, offset: number): Promise<unknown> {
      const response = await fetch(`${url}/imports/${id}/content?offset=${offset}`, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/octet-stream' },
        body: new Uint8Array(content.subarray(offset, offset + sliceBytes)),
      })
      return response.json()
    },
    rejected: async (id: number) => (await fetch(`${url}/imports/${id}/rejected`, { headers })).text(),
  }
}

test('an upload begun in one process is completed, previewed and imported in another, without a shared directory', async () => {
  const store = await startStore()
  const env = { ...store.env, AUTH_SECRET: randomUUID() }
  const first = await startSystem({ env })
  const ENCRYPTION_KEY = await readFile(join(first.dataDir, 'encryption-key'), 'utf8')
  const second = await startSystem({
    env: { ...env, ENCRYPTION_KEY, DATABASE_URL: await embeddedUrl(first.dataDir), HOST: '127.0.0.1' },
  })
  try {
    const { slug, token } = await first.makePartner()
    const cookie = await signedInUser(first, 'operator', null)
    const [onFirst, onSecond] = [clientOf(first.url, cookie), clientOf(second.url, cookie)]
    const records = Array.from({ length: 700 }, (_, index) => ({
      id: 3_000_000 + index,
      notes: 'x'.repeat(2000),
    }))
    const text = [...records.map((record) => JSON.stringify(record)), '{"id":"no number"}', ''].join('\n')
    const content = Buffer.from(text)
    expect(content.length).toBeGreaterThan(2 * sliceBytes)

    const begun = { fileName: 'deals.ndjson', sizeBytes: content.length, partner: slug, events: false }
    const { id } = (await onFirst.call('begin', begun)) as { id: number }
    expect(await onFirst.send(id, content, 0)).toEqual({ receivedBytes: sliceBytes })
    expect(await onSecond.send(id, content, sliceBytes)).toEqual({ receivedBytes: 2 * sliceBytes })
    expect(await onSecond.send(id, content, 2 * sliceBytes)).toEqual({ receivedBytes: content.length })
    await expect.poll(async () => (await onSecond.one(id))['state']).toBe('checked')
    expect(await onSecond.one(id)).toMatchObject({ created: 700, rejected: 1 })
    expect(await onFirst.rejected(id)).toContain('no number')

    await onFirst.call('start', { id })
    await expect.poll(async () => (await onSecond.one(id))['state']).toBe('done')
    const response = await fetch(`${second.url}/api/deals?size=1`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(await response.json()).toMatchObject({ count: 700 })

    expect([...store.objects.keys()]).toEqual([`imports/${id}.rejected.csv`])
    for (const { dataDir } of [first, second])
      expect(await readdir(join(dataDir, 'imports')).catch(() => [])).toEqual([])
  } finally {
    await second.dispose()
    await first.dispose()
    await store.close()
  }
})
