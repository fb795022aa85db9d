import { randomUUID } from 'node:crypto'
import { rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openDatabase } from '#db/client.ts'
import { dealFileMaxBytes } from '#server/files/policy.ts'
import { sliceBytes } from '#server/imports/wire.ts'
import { signedInUser } from '../portal-user.ts'
import { startStore } from '../s3/stand-in.ts'
import { areZeros, makeZeroBucket } from '../s3/zero-bucket.ts'
import { once } from './once.ts'
import { type Ours, makeOurs } from './ours.ts'
import type { Site } from './site.ts'

/** The cost of a large file. */
export interface BigFileFigures {
  bigFile(): Promise<{ serverMb: number; commandMb: number }>
}

const fileBytes = 5 * 1024 ** 3
const dealId = 1

/** Measures a file of zeros: the store keeps no bytes and only checks that all arrived. */
export function measureBigFile({ stack, say }: Pick<Site, 'stack' | 'say'>): BigFileFigures {
  return {
    bigFile: once(async () => {
      const store = await startStore(makeZeroBucket())
      stack.defer(() => store.close())
      const ours = await makeOurs(stack)
      const secrets = {
        AUTH_SECRET: randomUUID(),
        ENCRYPTION_KEY: randomUUID(),
        FILE_URL_TTL_SECONDS: '21600',
      }
      await ours.start(secrets)
      const token = await makeDeal(ours)
      say('Adding a file of 5 GiB, to disk')
      const path = join(ours.directory, 'big.bin')
      await writeFile(path, '')
      await truncate(path, fileBytes)
      const added = await ours.measuredOperator(['file', 'add', path, '--deal', String(dealId)], secrets)
      await rm(path)
      const id = added.stdout.trim()
      const onDisk = await urlOf(ours, token, id)
      await download(onDisk)
      const diskMb = await ours.peakMb()
      await ours.stop()

      await ours.start({ ...secrets, ...store.env })
      say('Moving it to the object store')
      const moved = await ours.measuredOperator(['file', 'move', '--to', 's3'], { ...secrets, ...store.env })
      // A URL from before the move passes through the server.
      await download(onDisk)
      const inStore = await urlOf(ours, token, id)
      if (!inStore.startsWith(store.url)) throw new Error(`The file is not in the store: ${inStore}`)
      await download(inStore)
      say('Adding one of 256 MiB in the portal')
      await addInPortal(ours)
      return {
        serverMb: Math.max(diskMb, await ours.peakMb()),
        commandMb: Math.max(added.peakMb, moved.peakMb),
      }
    }),
  }
}

/** Imports a deal of a new partner. Returns a token of that partner. */
async function makeDeal(ours: Ours): Promise<string> {
  const path = join(ours.directory, 'deal.ndjson')
  await writeFile(path, `{"id":${dealId}}\n`)
  await ours.operator('partner', 'create', 'big', '--name', 'Big Files')
  await ours.operator('import', path, '--partner', 'big', '--no-events')
  return ours.operator('token', 'create', '--partner', 'big', '--name', 'Benchmark')
}

async function urlOf({ url }: Ours, token: string, id: string): Promise<string> {
  const response = await fetch(`${url}/api/files/${id}`, { headers: { Authorization: `Bearer ${token}` } })
  const file = (await response.json()) as { url: string; size: number }
  if (file.size !== fileBytes) throw new Error(`The file has ${file.size} bytes`)
  return file.url
}

/** Downloads the file, and checks each byte. */
async function download(url: string): Promise<void> {
  const { status, body } = await fetch(url)
  let received = 0
  for await (const bytes of body as unknown as AsyncIterable<Uint8Array>) {
    received += bytes.length
    if (!areZeros(bytes)) throw new Error(`${url}: the content has changed`)
  }
  if (status !== 200 || received !== fileBytes)
    throw new Error(`${url}: answered ${status} with ${received} bytes`)
}

/** Resends a request if its connection was closed, like the page: the store in this process keeps it busy. */
async function persistently(url: string, request: RequestInit): Promise<Response> {
  for (let attempts = 1; ; attempts++)
    try {
      return await fetch(url, request)
    } catch (error) {
      if (attempts === 3) throw error
    }
}

/** Adds the largest file that the portal accepts, like its page. */
async function addInPortal(ours: Ours): Promise<void> {
  const db = openDatabase(await ours.databaseUrl(), 1)
  const cookie = await signedInUser({ db }, 'operator', null)
  await db.$client.end()
  const headers = { cookie, origin: ours.url }
  const call = async (name: string, input: object) => {
    const response = await persistently(`${ours.url}/api/trpc/files.${name}`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ json: input }),
    })
    if (response.status !== 200) throw new Error(`${name} was answered ${response.status}`)
    return ((await response.json()) as { result: { data: { json: { id: string } } } }).result.data.json
  }
  const upload = { dealId: String(dealId), name: 'big.bin', kind: 'other', sizeBytes: dealFileMaxBytes }
  const { id } = await call('begin', upload)
  const slice = new Uint8Array(sliceBytes)
  for (let offset = 0; offset < dealFileMaxBytes; offset += sliceBytes) {
    const { status } = await persistently(`${ours.url}/uploads/${id}/content?offset=${offset}`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/octet-stream' },
      body: slice,
    })
    if (status !== 200) throw new Error(`The slice at ${offset} was answered ${status}`)
  }
  await call('finish', { id })
}
