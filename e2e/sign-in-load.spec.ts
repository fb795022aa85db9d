import type { APIRequestContext } from '@playwright/test'
import { hashingMax, waitingMax } from '#server/accounts/sign-in/password.ts'
import { expect, test } from './fixtures.ts'
import { makeUser, signIn } from './portal-user.ts'

const randomIpAddress = () => `203.0.${Math.floor(Math.random() * 256)}.${Math.floor(Math.random() * 256)}`

/** Returns what tries to sign in with an address that nobody has, and gives the answer. */
async function makeTry(request: APIRequestContext) {
  const { csrfToken } = (await (await request.get('/api/auth/csrf')).json()) as { csrfToken: string }
  return () =>
    request.post('/api/auth/callback/credentials', {
      // Each from an address of its own, as behind a proxy: one alone is limited earlier.
      headers: { 'X-Forwarded-For': randomIpAddress() },
      form: { csrfToken, email: `${crypto.randomUUID()}@nobody.example`, password: 'not the password' },
      maxRedirects: 0,
    })
}

test('of 60 sign-ins at once those that would wait too long get a 503', async ({ request }) => {
  const tryOnce = await makeTry(request)
  const answers = await Promise.all(Array.from({ length: 60 }, tryOnce))
  const refused = answers.filter((answer) => answer.status() === 503)
  expect(refused.length).toBeGreaterThan(0)
  expect(answers.filter((answer) => answer.status() === 302)).toHaveLength(60 - refused.length)
  for (const answer of refused) {
    expect(await answer.json()).toEqual({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.any(String),
      errors: null,
    })
    expect(Number(answer.headers()['retry-after'])).toBeGreaterThan(0)
  }
})

test('a user who signs in meanwhile is told to try again', async ({ page, request, system }) => {
  const access = await makeUser(system)
  await page.goto('/sign-in')
  const tryOnce = await makeTry(request)
  let isOver = false
  // As many as there is room for, and some that take each place as it becomes free.
  const flood = Promise.all(
    Array.from({ length: hashingMax + waitingMax + 6 }, async () => {
      while (!isOver) await tryOnce()
    }),
  )
  const problem = page.locator('form').getByRole('alert')
  await expect(async () => {
    await signIn(page, { ...access, password: 'not the password' })
    await expect(problem).not.toBeEmpty()
    expect(await problem.textContent()).toBe(
      'Too many people are signing in right now. Try again in a few seconds.',
    )
  }).toPass()
  isOver = true
  await flood
  await signIn(page, access)
  await expect(page).toHaveURL('/')
})
