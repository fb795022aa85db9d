import { createHash, randomBytes } from 'node:crypto'
import type { JWTPayload } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type OpenIdProvider, leaveProvider, startOpenIdProvider } from '#e2e/openid-provider.ts'
import { describeSignInError, endSessionUrl, providerOf } from './provider.ts'

const clientId = 'partner-deals'
const redirectUri = 'http://localhost:65002/back'
let server: OpenIdProvider
beforeAll(async () => {
  server = await startOpenIdProvider(clientId, 'secret', [redirectUri])
})
afterAll(() => server.close())
beforeEach(() => {
  server.forge = null
})

const client = () => ({ issuer: server.issuer, clientId })
const metadataUrl = () => `${server.issuer}/.well-known/openid-configuration`

/** Signs in at the provider and requests tokens like next-auth does. */
async function askForTokens(endpoint = `${server.issuer}/token`): Promise<Response> {
  const verifier = randomBytes(32).toString('base64url')
  const start = `${server.issuer}/auth?${new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })}`
  const jar = new Map<string, string>()
  const back = await leaveProvider(server.issuer, start, async (url) => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const { headers } = await fetch(url, { redirect: 'manual', headers: { cookie } })
    for (const set of headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!
      jar.set(name!, value!)
    }
    return headers.get('location')!
  })
  return providerOf(client()).fetch(endpoint, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:secret`)}` },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: new URL(back).searchParams.get('code')!,
      code_verifier: verifier,
      redirect_uri: redirectUri,
    }),
  })
}
const problemOf = (call: Promise<unknown>) =>
  call.then(
    () => expect.fail('was accepted'),
    (error: unknown) => describeSignInError(error),
  )

describe('an ID token', () => {
  test('is accepted and passed on unchanged if the provider signed it for us', async () => {
    const response = await askForTokens()
    expect(await response.json()).toMatchObject({ id_token: expect.any(String) as string })
  })

  test.each<[string, JWTPayload, RegExp]>([
    ['for another client', { aud: 'another' }, /CLAIM_VALIDATION_FAILED \(aud\)/],
    ['of another issuer', { iss: 'https://b.example' }, /FAILED \(iss\)/],
    ['that has expired', { exp: 1_700_000_000 }, /ERR_JWT_EXPIRED/],
  ])('is rejected, naming the failed check: %s', async (_which, change, problem) => {
    server.forge = (claims) => server.sign({ ...claims, ...change })
    expect(await problemOf(askForTokens())).toMatch(problem)
  })

  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  test.each<[string, OpenIdProvider['forge'], RegExp]>([
    ['that others signed', (claims) => server.sign(claims, 'stranger'), /SIGNATURE_VERIFICATION_FAILED/],
    ['without a signature', (claims) => `${part({ alg: 'none' })}.${part(claims)}.`, /ALG_NOT_ALLOWED/],
    ['of a secret', (claims) => `${part({ alg: 'HS256' })}.${part(claims)}.c2lnbg`, /ALG_NOT_ALLOWED/],
    ['that is missing', () => undefined, /without an ID token/],
  ])('is rejected: %s', async (_which, forge, problem) => {
    server.forge = forge
    expect(await problemOf(askForTokens())).toMatch(problem)
  })
})

test('reports a provider that is down, returns nonsense or has an endpoint without TLS', async () => {
  const away = { issuer: 'http://localhost:65001', clientId }
  expect(
    await problemOf(providerOf(away).fetch('http://localhost:65001/.well-known/openid-configuration')),
  ).toBe('the provider cannot be reached at http://localhost:65001: ECONNREFUSED')
  const missing = { issuer: `${server.issuer}/nowhere`, clientId }
  expect(await problemOf(providerOf(missing).metadata())).toBe(
    'the provider responds with 404 to a request for its metadata',
  )
  const alias = { issuer: server.issuer.replace('localhost', '127.0.0.1'), clientId }
  expect(await problemOf(providerOf(alias).metadata())).toBe(
    `OIDC_ISSUER must be ${server.issuer}, as the provider calls itself`,
  )
  expect(await problemOf(askForTokens('http://login.example/token'))).toBe(
    'the provider names an endpoint that is not https: http://login.example',
  )
  expect(describeSignInError(new TypeError('of ana@sunline.example'))).toBe('TypeError')
})

test('reads the provider metadata once in ten minutes, regardless of the number of sign-ins', async () => {
  const provider = providerOf(client())
  const first = await provider.fetch(metadataUrl())
  const text = await first.text()
  const fetchSpy = vi.spyOn(globalThis, 'fetch')
  for (let round = 0; round < 20; round++)
    expect(await (await provider.fetch(metadataUrl())).text()).toBe(text)
  expect(fetchSpy).not.toHaveBeenCalled()
  fetchSpy.mockRestore()
})

test("a browser signs out at the provider's URL, with its ID token", async () => {
  const url = new URL((await endSessionUrl(client(), 'a.b.c'))!)
  expect(url.origin).toBe(server.issuer)
  expect(Object.fromEntries(url.searchParams)).toEqual({ id_token_hint: 'a.b.c', client_id: clientId })
  expect(await endSessionUrl({ issuer: 'http://localhost:65001', clientId }, 'a.b.c')).toBeNull()
})
