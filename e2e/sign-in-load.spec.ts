import type { APIRequestContext } from '@playwright/test'
import { hashingMax, waitingMax } from '#server/accounts/password.ts'
import { expect, test } from './fixtures.ts'
import { makeUser, signIn } from './portal-user.ts'

const randomIpAddress = () => `203.0.${Math.floor(Math.random() * 256)}.${Math.floor(Math.random() * 256)}`

/** Returns a function that tries to sign in from an IP address with an unknown e-mail address. */
async function makeTry(request: APIRequestContext) {
  const { csrfToken } = (await (await request.get('/api/auth/csrf')).json()) as { csrfToken: string }
  return (ipAddress: string) =>
    request.post('/api/auth/callback/credentials', {
      // A proxy would set this header.
      headers: { 'X-Forwarded-For': ipAddress },
      form: { csrfToken, email: `${crypto.randomUUID()}@nobody.example`, password: 'not the password' },
      maxRedirects: 0,
    })
}

test('serves 60 concurrent sign-ins from one IP address, or responds 503 with Retry-After', async ({
  request,
}) => {
  const tryFrom = await makeTry(request)
  const ipAddress = randomIpAddress()
  const answers = await Promise.all(Array.from({ length: 60 }, () => tryFrom(ipAddress)))
  const refused = answers.filter((answer) => answer.status() === 503)
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

test('signs a user in while others keep trying to sign in', async ({ page, request, system }) => {
  const access = await makeUser(system)
  await page.goto('/sign-in')
  const tryFrom = await makeTry(request)
  let isOver = false
  const flood = Promise.all(
    Array.from({ length: hashingMax + waitingMax + 6 }, async () => {
      while (!isOver) await tryFrom(randomIpAddress())
    }),
  )
  await signIn(page, access)
  await expect(page).toHaveURL('/')
  isOver = true
  await flood
})
