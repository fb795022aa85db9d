import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import type { Database } from '#db/client.ts'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { encryptionKey } from '#e2e/dispatchers.ts'
import { insertPartner } from '#server/accounts/store.ts'
import type { Deal } from '#server/deals/deal.ts'
import { parseDeal } from '#server/deals/render.ts'
import { directoryStorage } from '#server/files/disk-storage.ts'
import { type Storages, storagesOf } from '#server/files/storage.ts'
import { RetryLaterError } from '#server/jobs/attempt-job.ts'
import { asCommand } from '#server/runtime/command.ts'
import * as actions from '#server/sources/actions.ts'
import { type FollowDeps, followSource } from '#server/sources/follow-source.ts'
import { type StoredSource, findSource } from '#server/sources/store.ts'
import { StandIn } from './stand-in.ts'

/** A stand-in that is connected as the only source of a database. */
export interface ConnectedSource {
  id: number
  context: ReturnType<typeof asCommand> & actions.ConnectDeps & { storages: Storages }
  /** Reads changes once, like one process does. A failure is stored with the returned source. */
  read(options?: Partial<FollowDeps>): Promise<StoredSource>
  /** Like `read`, but also compares all deals with the source. */
  compare(): Promise<StoredSource>
  approve(count: number): Promise<void>
  stored(id: string): Promise<(Deal & { partnerId: number | null }) | undefined>
  assign(value: string, partner: { id: number; slug: string }, events?: boolean): Promise<void>
}

/** Reads a source once. A failure is stored with the source. */
export const readNow = (deps: FollowDeps, id: number): Promise<void> =>
  followSource(deps, id, new AbortController().signal).catch((error: unknown) => {
    if (!(error instanceof RetryLaterError)) throw error
  })

let lastId = 0

/** The database and the stand-in of a test file that calls `useStandIn`. */
export let database: TestDatabase
export let crm: StandIn

/** For test files: creates a database, and a new stand-in without limits before each test. */
export function useStandIn(): void {
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(async () => {
    await database.drop()
    await rm(folder, { recursive: true, force: true })
  })
  beforeEach(async () => {
    crm = new StandIn({
      limits: { burst: 1e9, searches: 1e9, daily: 1e9 },
      // Use new IDs for every stand-in.
      firstId: (lastId += 1_000_000),
    })
    await crm.listen()
  })
  afterEach(() => crm.close())
}

/** Creates a partner in the database of this test file. */
export const makePartner = async () => (await insertPartner(database.db, `p${crypto.randomUUID()}`, 'Acme'))!

/** Connects the stand-in of this test file to its database. */
export const connect = (action = actions.connectSource): Promise<ConnectedSource> =>
  connectStandIn(database.db, crm, action)

const folder = join(tmpdir(), `partner-deals-crm-${process.pid}`)
let last = 0

/** Connects a stand-in without delays between requests. */
export async function connectStandIn(
  db: Database,
  crm: StandIn,
  action = actions.connectSource,
): Promise<ConnectedSource> {
  const { $client: sql } = db
  const name = `HubSpot ${++last}`
  const context = {
    ...asCommand({ db }),
    encryptionKey,
    hubspotUrl: crm.url,
    pace: { searchMs: 0, anyMs: 0, retryMs: 5 },
    storages: storagesOf(directoryStorage({ directory: join(folder, name) }), null),
  }
  await sql`delete from sources`
  const id = await action(context, { kind: 'hubspot', name, secret: crm.token })
  async function read(options: Partial<FollowDeps> = {}): Promise<StoredSource> {
    const warned: unknown[] = []
    const log = { warn: (fields: object) => void warned.push(fields) }
    await readNow({ ...context, log, ...options }, id)
    expect(warned).toEqual([])
    return (await findSource(db, id))!
  }
  return {
    id,
    context,
    read,
    async compare() {
      await actions.compareSource(context, id)
      return read()
    },
    approve: (count) => actions.approveRemovals(context, id, count),
    async stored(deal) {
      const [row] = await sql<{ json: string; partnerId: number | null }[]>`
        select json, partner_id as "partnerId" from deals where id = ${deal}`
      return row && { ...parseDeal(row.json), partnerId: row.partnerId }
    },
    assign: (value, { id: partnerId, slug }, events = false) =>
      actions.assignPartner(context, { id, value, partner: slug, events }, partnerId),
  }
}
