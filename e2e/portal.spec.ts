import { createUser } from './create-user.ts'
import { expect, test } from './fixtures.ts'
import { enter } from './portal-user.ts'
import type { RunningSystem } from './system.ts'

/** Returns an admin of a new partner. */
async function makeAdmin(system: RunningSystem) {
  const partner = await system.makePartner()
  const access = { email: `admin@${partner.slug}.example`, password: 'a long enough password' }
  await createUser(system.db, { ...access, name: 'Robin Vale', role: 'admin', partnerId: partner.id })
  return { ...partner, ...access }
}

test('signing out ends the session', async ({ page, demo }) => {
  await enter(page, demo, '/deals')
  const cookies = await page.context().cookies()
  await page.getByRole('button', { name: 'Dana Whitfield' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page).toHaveURL('/sign-in')
  await page.goBack()
  await expect(page).toHaveURL(/\/sign-in/)
  // A copied cookie is invalid as well.
  await page.context().addCookies(cookies)
  await page.goto('/deals')
  await expect(page).toHaveURL(/\/sign-in/)
})

test('an unknown URL shows an error with a link back', async ({ page, demo }) => {
  await enter(page, demo, '/deals')
  const answer = await page.goto('/nowhere')
  expect(answer!.status()).toBe(404)
  await page.getByRole('link', { name: 'Go to your deals' }).click()
  await expect(page).toHaveURL('/deals')
})

test('the former URLs of data issues redirect, with their query', async ({ page, demo }) => {
  await enter(page, demo, '/deals')
  await page.goto('/findings/malformedZip?from=bookmark')
  await expect(page).toHaveURL('/data-issues/malformedZip?from=bookmark')
  await page.goto('/findings')
  await expect(page).toHaveURL('/data-issues')
  await expect(page.getByRole('heading', { name: 'Data issues' })).toBeVisible()
})

test.describe('the procedures, asked by a browser,', () => {
  const body = JSON.stringify({ json: { createURL: 'https://example.com/hook' } })

  test('reject changes from other sites and from forms', async ({ page, system }) => {
    const admin = await makeAdmin(system)
    await enter(page, admin)
    const set = (headers: Record<string, string>, data: string | Buffer = body) =>
      page.request.post('/api/trpc/webhooks.set', { headers, data })
    const json = { 'Content-Type': 'application/json' }
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1']) {
      expect((await set({ ...json, Origin: origin })).status()).toBe(403)
    }
    expect((await set({ Origin: system.url, 'Content-Type': 'text/plain' })).status()).toBe(415)
    const form = await page.request.post('/api/trpc/webhooks.set', {
      headers: { Origin: system.url },
      multipart: { createURL: 'https://example.com/hook' },
    })
    expect(form.status()).toBe(415)
    const crossForm = await page.request.post('/api/trpc/webhooks.set', {
      headers: { Origin: 'https://evil.example' },
      multipart: { createURL: 'https://example.com/hook' },
    })
    expect(crossForm.status()).toBe(403)
    expect((await page.request.get(`/api/trpc/webhooks.set?input=${encodeURIComponent(body)}`)).ok()).toBe(
      false,
    )

    const read = async () =>
      (
        (await (await page.request.get('/api/trpc/webhooks.get')).json()) as {
          result: { data: { json: object } }
        }
      ).result.data.json
    expect(await read()).toEqual({ createURL: null, updateURL: null })
    expect((await set({ ...json, Origin: system.url })).status()).toBe(200)
    expect(await read()).toEqual({ createURL: 'https://example.com/hook', updateURL: null })
  })

  test('are batched ten at a time at most, and pages of whole deals not at all', async ({ page, demo }) => {
    await enter(page, demo, '/deals')
    const batch = (count: number, name = 'deals.age') => {
      const input = JSON.stringify({ ...Array.from({ length: count }, () => ({ json: {} })) })
      return page.request.get(
        `/api/trpc/${Array.from({ length: count }, () => name).join(',')}?${new URLSearchParams({ batch: '1', input })}`,
      )
    }
    expect((await batch(10)).status()).toBe(200)
    expect((await batch(11)).status()).toBe(400)
    for (const name of ['deals.list', 'events.list']) {
      expect((await batch(1, name)).status(), name).toBe(200)
      expect((await batch(2, name)).status(), name).toBe(400)
    }
    // Not in normal form.
    expect((await batch(1, 'deals%2Elist')).status()).toBe(400)
  })

  test("reject signed-out clients, and return only the member's own data", async ({
    page,
    request,
    system,
  }) => {
    expect((await request.get('/api/trpc/deals.list')).status()).toBe(401)
    const { id, slug } = await system.makePartner()
    const member = { email: `member@${slug}.example`, password: 'a long enough password' }
    await createUser(system.db, { ...member, name: 'Kim Reed', role: 'member', partnerId: id })
    await enter(page, member)
    const answer = await page.request.post('/api/trpc/webhooks.set', {
      headers: { 'Content-Type': 'application/json', Origin: system.url },
      data: body,
    })
    expect(answer.status()).toBe(403)
    expect(await answer.json()).toMatchObject({
      error: { json: { data: { code: 'FORBIDDEN', httpStatus: 403 } } },
    })
  })
})
