import { Events, type MutableToken, OAuth2Server } from 'oauth2-mock-server'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { describeSignInError, endSessionUrl, providerOf } from './provider-fetch.ts'

const [server, stranger] = [new OAuth2Server(), new OAuth2Server()]
let clientId: string
let change: (token: MutableToken) => void
beforeAll(async () => {
  for (const each of [server, stranger]) {
    await each.issuer.keys.generate('RS256')
    await each.start(0, 'localhost')
  }
  server.service.on(Events.BeforeTokenSigning, (token) => change(token))
})
afterAll(() => Promise.all([server.stop(), stranger.stop()]))
beforeEach(() => {
  clientId = crypto.randomUUID()
  change = () => {}
})

const client = () => ({ issuer: server.issuer.url!, clientId })
const metadataUrl = () => `${server.issuer.url!}/.well-known/openid-configuration`

/** Asks the provider for tokens as next-auth does. */
const askForTokens = (of = client(), endpoint = `${server.issuer.url!}/token`) =>
  providerOf(of).fetch(endpoint, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${of.clientId}:secret`)}` },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: 'code',
      client_id: of.clientId,
      redirect_uri: 'http://localhost/',
    }),
  })
const problemOf = (asked: Promise<unknown>) =>
  asked.then(
    () => expect.fail('was accepted'),
    (error: unknown) => describeSignInError(error),
  )

describe('an ID token', () => {
  test('is accepted when the provider signed it for us, and passed on as it is', async () => {
    const response = await askForTokens()
    expect(await response.json()).toMatchObject({ id_token: expect.any(String) as string })
  })

  test.each<[string, (token: MutableToken) => void, RegExp]>([
    [
      'for another client',
      ({ payload }) => void (payload['aud'] = 'another'),
      /CLAIM_VALIDATION_FAILED \(aud\)/,
    ],
    ['of another issuer', ({ payload }) => void (payload['iss'] = 'https://b.example'), /FAILED \(iss\)/],
    ['that has expired', ({ payload }) => void (payload['exp'] = 1_700_000_000), /ERR_JWT_EXPIRED/],
  ])('%s is refused, with the check that failed', async (_which, alter, problem) => {
    change = alter
    expect(await problemOf(askForTokens())).toMatch(problem)
  })

  test('rejects tokens signed by others or unsigned', async () => {
    const signed = await stranger.issuer.buildToken({
      scopesOrTransform: (_header, payload) =>
        Object.assign(payload, { iss: server.issuer.url!, aud: clientId }),
    })
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const claims = { iss: server.issuer.url!, aud: clientId, sub: 'a', exp: Date.now() }
    for (const [forged, problem] of [
      [signed, /ERR_JWKS_NO_MATCHING_KEY|SIGNATURE_VERIFICATION_FAILED/],
      [`${part({ alg: 'none' })}.${part(claims)}.`, /ERR_JOSE_ALG_NOT_ALLOWED/],
      [`${part({ alg: 'HS256' })}.${part(claims)}.c2lnbmF0dXJl`, /ERR_JOSE_ALG_NOT_ALLOWED/],
      [undefined, /without an ID token/],
    ] as const) {
      server.service.once(Events.BeforeResponse, (response) => {
        response.body = { access_token: 'a', token_type: 'Bearer', id_token: forged }
      })
      expect(await problemOf(askForTokens())).toMatch(problem)
    }
  })
})

test('reports a provider that is down, returns nonsense or has an endpoint without TLS', async () => {
  const away = { issuer: 'http://localhost:65001', clientId }
  expect(
    await problemOf(providerOf(away).fetch('http://localhost:65001/.well-known/openid-configuration')),
  ).toBe('the provider cannot be reached at http://localhost:65001: ECONNREFUSED')
  const missing = { issuer: `${server.issuer.url!}/nowhere`, clientId }
  expect(await problemOf(providerOf(missing).metadata())).toBe('the provider answers 404 for its metadata')
  expect(await problemOf(askForTokens(client(), 'http://login.example/token'))).toBe(
    'the provider names an endpoint that is not https: http://login.example',
  )
  expect(describeSignInError(new TypeError('of ana@sunline.example'))).toBe('TypeError')
})

test('the metadata is read once in ten minutes, however often anonymous callers begin to sign in', async () => {
  const provider = providerOf(client())
  const first = await provider.fetch(metadataUrl())
  const text = await first.text()
  const asked = vi.spyOn(globalThis, 'fetch')
  for (let round = 0; round < 20; round++)
    expect(await (await provider.fetch(metadataUrl())).text()).toBe(text)
  expect(asked).not.toHaveBeenCalled()
  asked.mockRestore()
})

test('a browser signs out where the provider says, with its ID token', async () => {
  const url = new URL((await endSessionUrl(client(), 'a.b.c'))!)
  expect(url.origin).toBe(server.issuer.url)
  expect(Object.fromEntries(url.searchParams)).toEqual({ id_token_hint: 'a.b.c', client_id: clientId })
  expect(await endSessionUrl({ issuer: 'http://localhost:65001', clientId }, 'a.b.c')).toBeNull()
})
