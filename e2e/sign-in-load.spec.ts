import type { APIRequestContext } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { makeUser, signIn } from './portal-user.ts'

/** Tries to sign in so many times at once, each with an address that nobody has, and gives the answers. */
async function tryMany(request: APIRequestContext, count: number) {
  const { csrfToken } = await (await request.get('/api/auth/csrf')).json() as { csrfToken: string }
  return Promise.all(Array.from({ length: count }, () => (
    request.post('/api/auth/callback/credentials', { form: { csrfToken, email: `${crypto.randomUUID()}@nobody.example`, password: 'not the password' }, maxRedirects: 0 }))))
}

test('of 60 sign-ins at once those that would wait too long are refused with 503', async ({ request }) => {
  const answers = await tryMany(request, 60)
  const refused = answers.filter((answer) => answer.status() === 503)
  expect(refused.length).toBeGreaterThan(0)
  expect(answers.filter((answer) => answer.status() === 302)).toHaveLength(60 - refused.length)
  for (const answer of refused) {
    expect(await answer.json()).toEqual({ code: 'SERVICE_UNAVAILABLE', message: expect.any(String), errors: null })
    expect(Number(answer.headers()['retry-after'])).toBeGreaterThan(0)
  }
})

test('who signs in meanwhile is told to try again', async ({ page, request, system }) => {
  const access = await makeUser(system)
  await page.goto('/sign-in')
  let isOver = false
  const flood = Promise.all([1, 2].map(async () => {
    while (!isOver) await tryMany(request, 60)
  }))
  await expect(async () => {
    await signIn(page, { ...access, password: 'not the password' })
    await expect(page.getByRole('alert').filter({ hasText: 'Too many people are signing in at the moment. Try again in a few seconds.' })).toBeVisible()
  }).toPass()
  isOver = true
  await flood
  await signIn(page, access)
  await expect(page).toHaveURL('/')
})
