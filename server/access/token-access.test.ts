import { beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '#db/client.ts'
import { openTestDatabase } from '#e2e/open-database.ts'
import type { Owner, PartnerId } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import { writeDeals } from '../deals/deal-writer.ts'
import type { DealRecord } from '../deals/deal.ts'
import { deleteDeal } from '../deals/removal-store.ts'
import { issueSuccessor, issueToken } from '../tokens/issue-token.ts'
import { internalScopes, scopes } from '../tokens/policy.ts'
import { markRevoked } from '../tokens/store.ts'
import { hashToken } from '../tokens/token.ts'
import { everyone } from './actor.ts'
import { findAccess, makeAccessLoader } from './token-access.ts'

const database = await openTestDatabase()
let partnerId: PartnerId
beforeEach(async () => {
  partnerId = (await insertPartner(database.db, crypto.randomUUID(), 'A partner'))!.id
})

const soon = () => new Date(Date.now() + 60_000)
const past = () => new Date(Date.now() - 1)

async function makeHash(
  order: { partnerId?: Owner; expiresAt?: Date | null } = {},
): Promise<{ id: number; hash: string }> {
  const { id, token } = await issueToken(database.db, { partnerId, name: 'test', expiresAt: null, ...order })
  return { id, hash: hashToken(token) }
}

const accessOf = async (hash: string) => (await findAccess(database.db, [hash])).get(hash)

describe('the access of a token', () => {
  test('grants a partner token its partner and scopes', async () => {
    const { id, hash } = await makeHash({ expiresAt: soon() })
    expect(await accessOf(hash)).toEqual({
      tokenId: id,
      partnerId,
      isInternal: false,
      scopes: [...scopes],
      isSheet: false,
      useIsNews: true,
      listRevision: 0,
    })
  })

  test('grants a token without a partner access only if it is marked as internal', async () => {
    const { id, hash } = await makeHash({ partnerId: null })
    expect(await accessOf(hash)).toMatchObject({ tokenId: id, partnerId: null, scopes: [...internalScopes] })
    await database.db.$client`update tokens set is_internal = false where id = ${id}`
    expect(await accessOf(hash)).toBeUndefined()
    expect(
      await database.db.transaction((tx) =>
        issueSuccessor(tx, everyone, { id, grace: '7d', now: new Date() }),
      ),
    ).toBe('missing')
  })

  test('never marks a token of a partner as internal', async () => {
    const { id } = await makeHash()
    await expect(database.db.$client`update tokens set is_internal = true where id = ${id}`).rejects.toThrow(
      'tokens_of_partners_are_not_internal',
    )
  })

  test('rejects a token that is unknown, revoked or expired', async () => {
    const [revoked, expired, good] = [
      await makeHash(),
      await makeHash({ expiresAt: past() }),
      await makeHash(),
    ]
    await markRevoked(database.db, partnerId, revoked.id)
    const found = await findAccess(database.db, [
      revoked.hash,
      expired.hash,
      good.hash,
      hashToken('pd_unknown'),
      '',
      "'; drop table tokens; --",
    ])
    expect([...found.keys()]).toEqual([good.hash])
    expect(await findAccess(database.db, [])).toEqual(new Map())
  })

  test("returns a revision that changes with the token's list, and not with another partner's", async () => {
    const otherId = (await insertPartner(database.db, crypto.randomUUID(), 'Another'))!.id
    const [mine, staff] = [await makeHash(), await makeHash({ partnerId: null })]
    const revisions = async () =>
      [(await accessOf(mine.hash))!.listRevision, (await accessOf(staff.hash))!.listRevision] as const
    const write = (record: DealRecord, owner: number | null | undefined) =>
      writeDeals(database.db, [{ record, partnerId: owner }], { now: new Date(0), events: false })
    const steps: [what: string, step: () => Promise<unknown>, mine: boolean][] = [
      ['a new deal', () => write({ id: 1n }, partnerId), true],
      ['a change', () => write({ id: 1n, stage: 'x' }, undefined), true],
      ['a silent change', () => write({ id: 1n, lastModified: '2026-03-01T17:20:05.000Z' }, undefined), true],
      ["another's new deal", () => write({ id: 2n }, otherId), false],
      ['a deal that leaves', () => write({ id: 1n }, otherId), true],
      ['its change there', () => write({ id: 1n, stage: 'y' }, undefined), false],
      ['a deal that comes', () => write({ id: 2n }, partnerId), true],
      ['a deal that is removed', () => deleteDeal(database.db, 2n), true],
    ]
    for (const [what, step, changesMine] of steps) {
      const [mineBefore, staffBefore] = await revisions()
      await step()
      const [mineAfter, staffAfter] = await revisions()
      expect(mineAfter > mineBefore, what).toBe(changesMine)
      expect(staffAfter > staffBefore, what).toBe(true)
    }
  })
})

describe('the token loader', () => {
  test('sees a revocation immediately, even while requests are always in progress', async () => {
    const loader = makeAccessLoader(database.db)
    const { id, hash } = await makeHash()
    let asking = true
    const traffic = Promise.all(
      Array.from({ length: 8 }, async () => {
        while (asking) await loader.load(hash)
      }),
    )
    expect(await loader.load(hash)).toBeDefined()
    await markRevoked(database.db, partnerId, id)
    expect(await loader.load(hash)).toBeUndefined()
    asking = false
    await traffic
  })

  /** Returns a database whose queries wait until the test answers them. */
  function slowDatabase() {
    const queries: { hashes: string[]; answer: () => void; fail: () => void }[] = []
    const $client = (_text: unknown, hashes: string[]) =>
      new Promise((resolve, reject) => {
        queries.push({
          hashes,
          answer: () =>
            resolve(
              hashes.map((hash) => ({
                hash,
                tokenId: Number(hash),
                partnerId: 1,
                scopes: [],
                useIsNews: false,
                listRevision: 0,
              })),
            ),
          fail: () => reject(new Error('the database is away')),
        })
      })
    return { loader: makeAccessLoader({ $client } as unknown as Database), queries }
  }

  const turn = () => new Promise((resolve) => void setImmediate(() => setImmediate(resolve)))

  test('runs at most two queries, and batches other tokens into the next query', async () => {
    const { loader, queries } = slowDatabase()
    const loads: Promise<unknown>[] = []
    for (const hash of ['1', '2', '3', '4', '3']) {
      loads.push(loader.load(hash))
      await turn()
    }
    expect(queries.map(({ hashes }) => hashes)).toEqual([['1'], ['2']])
    queries[0]!.answer()
    await turn()
    expect(queries.map(({ hashes }) => hashes)).toEqual([['1'], ['2'], ['3', '4']])
    queries[1]!.answer()
    queries[2]!.answer()
    expect((await Promise.all(loads)).map((access) => (access as { tokenId: number }).tokenId)).toEqual([
      1, 2, 3, 4, 3,
    ])
  })

  test('never uses the result of a query that began before the request', async () => {
    const { loader, queries } = slowDatabase()
    const first = loader.load('7')
    await turn()
    const second = loader.load('7')
    await turn()
    expect(queries).toHaveLength(2)
    queries[0]!.answer()
    await expect(first).resolves.toBeDefined()
    queries[1]!.fail()
    await expect(second).rejects.toThrow('the database is away')
    // A failed query does not affect the next one.
    const third = loader.load('7')
    await turn()
    queries[2]!.answer()
    await expect(third).resolves.toMatchObject({ tokenId: 7 })
  })
})
