import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { router } from '#server/access/procedure.ts'
import { type Partner, insertPartner } from '#server/accounts/store.ts'
import { readStored } from '#server/deals/row-store.ts'
import { type ErrorCode, toApiError } from '#server/errors.ts'
import type { Storage } from '#server/files/storage.ts'
import { importStreams, importsRouter } from '#server/imports/router.ts'
import type { Services } from '#server/runtime/services.ts'
import { runImportJobs } from './run-due-jobs.ts'
import { signedIn } from './signed-in.ts'

/** Returns the procedures for a new operator who is viewing the partner `slug`. */
async function asOperator(services: Services, slug: string | null) {
  const context = await signedIn(services, { role: 'operator', partnerId: null, slug })
  return router({ ...importsRouter._def.record, ...importStreams._def.record }).createCaller(context)
}

/** Returns the records as NDJSON. */
export const lines = (...records: object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('')

/** Returns the error of a request that must fail. */
export async function refusalOf(
  request: Promise<unknown>,
): Promise<{ code: ErrorCode; errors: string[] | null }> {
  const { code, errors } = toApiError(
    await request.then(
      () => expect.fail('was answered'),
      (error: unknown) => error,
    ),
  )
  return { code, errors }
}

interface Opened {
  database: TestDatabase
  dataDir: string
  services: Services
  /** Log lines of the storage. */
  failures: object[]
  caller: Awaited<ReturnType<typeof asOperator>>
  /** A new partner for each test. */
  partner: Partner
}

/**
 * For test files: returns the import procedures with their own database and data directory. `openStore`
 * returns storage in an object store.
 */
export function openImports(openStore: () => Storage | null = () => null) {
  const opened = { failures: [] as object[] } as Opened
  beforeAll(async () => {
    opened.database = await createTestDatabase()
    opened.dataDir = await mkdtemp(join(tmpdir(), 'imports-'))
    opened.services = {
      db: opened.database.db,
      config: { dataDir: opened.dataDir },
      storages: { imports: openStore(), disk: {} },
      log: { error: (fields: object) => void opened.failures.push(fields) },
    } as unknown as Services
  })
  afterAll(async () => {
    await opened.database.drop()
    await rm(opened.dataDir, { recursive: true })
  })
  const as = (slug: string | null, config: { dataDir: string } | null = null) =>
    asOperator({ ...opened.services, ...(config && { config }) } as Services, slug)
  const makePartner = async (name: string) =>
    (await insertPartner(opened.database.db, `p${crypto.randomUUID()}`, name))!
  beforeEach(async () => {
    opened.caller = await as(null)
    opened.partner = await makePartner('A partner')
  })
  let lastId = 0
  const makeIds = (count: number) => Array.from({ length: count }, () => ++lastId)
  return Object.assign(opened, { as, makePartner, makeIds, ...importingWith(opened) })
}

function importingWith(opened: Opened) {
  const done = () => runImportJobs(opened.services)

  /** Uploads a file with this content. Returns the import after the file was checked. */
  async function upload(
    content: string | Buffer,
    options: { fileName?: string; partner?: string | null; events?: boolean } = {},
  ) {
    const bytes = new Uint8Array(Buffer.from(content as string))
    const { id } = await opened.caller.begin({
      fileName: 'deals.ndjson',
      sizeBytes: bytes.length,
      partner: opened.partner.slug,
      events: true,
      ...options,
    })
    await opened.caller.append({ id, offset: 0, bytes })
    await done()
    return opened.caller.one({ id })
  }

  async function start(id: number) {
    await opened.caller.start({ id })
    await done()
    return opened.caller.one({ id })
  }

  /** Imports a file with this content. */
  const bringIn = async (...input: Parameters<typeof upload>) => start((await upload(...input)).id)

  /** Returns the file with an import's rejected rows. */
  async function rejectedOf(id: number): Promise<string> {
    const parts: Uint8Array[] = []
    const read = await opened.caller.rejected({ id })
    await read(async (bytes) => void parts.push(bytes))
    return Buffer.concat(parts).toString()
  }

  /** Returns the fields of a deal, or null if it does not exist. */
  async function dealOf(id: number | string) {
    const stored = await readStored(opened.database.db.$client, [BigInt(id)])
    return JSON.parse(stored.get(BigInt(id))?.json ?? 'null') as Record<string, unknown> | null
  }

  return { done, upload, start, bringIn, rejectedOf, dealOf }
}
