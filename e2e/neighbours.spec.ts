import { expect, test } from './fixtures.ts'
import { signedInUser } from './portal-user.ts'
import { ask } from './rest/client.ts'
import { newDeals } from './rest/deals.ts'

// A partner is not affected by a member of another partner in the portal.

test("lists load before most of the 300 boards that another partner's member requests at the same time", async ({
  system,
}) => {
  const [greedy, neighbour] = [
    await system.makePartner({ deals: newDeals(2000) }),
    await system.makePartner({ deals: newDeals(30) }),
  ]
  const cookie = await signedInUser(system, 'member', greedy.id)
  let answered = 0
  const boards = Array.from({ length: 300 }, async (_, min) => {
    // All inputs differ, because equal calls may be counted only once.
    const input = JSON.stringify({ json: { filter: { search: 'deal', amount: { min: -1 - min } } } })
    await ask(system, `GET /api/trpc/deals.board?input=${encodeURIComponent(input)}`, { headers: { cookie } })
    answered++
  })
  const lists = await Promise.all(
    Array.from({ length: 15 }, () => ask(system, 'GET /api/deals', { token: neighbour.token })),
  )
  expect(lists.map(({ status }) => status)).toEqual(Array<number>(15).fill(200))
  expect(answered).toBeLessThan(150)
  await Promise.all(boards)
})
