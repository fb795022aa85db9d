import { describe, expect, test } from 'vitest'
import { type EmailTrust, isEntraWithoutTenant, trustedEmail } from './trusted-email.ts'

const tenant = 'https://login.microsoftonline.com/72f988bf-86f1-41af-91ab-2d7cd011db47/v2.0'
const personal = 'https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0'
const others = 'https://login.example.com'
const cognito = 'https://cognito-idp.us-west-2.amazonaws.com/us-west-2_Ab129faBb'
const email = 'ana@sunline.example'

describe('the e-mail address reported by a provider', () => {
  test.each<[string, EmailTrust, unknown]>([
    [others, null, true],
    [others, 'off', true],
    [cognito, null, 'true'],
    [others, null, 'True'],
    [others, 'on', undefined],
    [others, 'on', false],
    [others, 'on', 'false'],
    [tenant, null, undefined],
    [tenant, null, 'true'],
    ['https://sts.windows.net/72F988BF-86F1-41AF-91AB-2D7CD011DB47/', null, undefined],
    ['https://login.microsoftonline.us/72f988bf-86f1-41af-91ab-2d7cd011db47/v2.0', null, undefined],
  ])('at %s with OIDC_TRUST_EMAIL %s and email_verified %j is accepted', (issuer, trust, verified) => {
    expect(trustedEmail(issuer, trust, { email: 'Ana@Sunline.example', email_verified: verified })).toBe(
      email,
    )
  })

  test.each<[string, EmailTrust, unknown]>([
    [others, null, undefined],
    [others, 'off', undefined],
    [others, null, null],
    [others, null, false],
    [others, null, 'false'],
    [others, null, 1],
    [others, null, ['true']],
    [cognito, null, 'false'],
    [tenant, null, false],
    [tenant, 'off', undefined],
    [personal, null, undefined],
    // The host does not belong to Microsoft.
    ['https://login.microsoftonline.com.example/72f988bf-86f1-41af-91ab-2d7cd011db47/v2.0', null, undefined],
  ])('at %s with OIDC_TRUST_EMAIL %s and email_verified %j is rejected', (issuer, trust, verified) => {
    expect(trustedEmail(issuer, trust, { email, email_verified: verified })).toBeNull()
  })

  test('is the user name in an Entra tenant, for accounts without a mailbox', () => {
    expect(trustedEmail(tenant, null, { preferred_username: 'Ana@sunline.example' })).toBe(email)
    expect(trustedEmail(tenant, 'on', { upn: email })).toBe(email)
    expect(trustedEmail(tenant, null, { email: 'mail@sunline.example', preferred_username: email })).toBe(
      'mail@sunline.example',
    )
    // At other providers, users choose their own user names.
    for (const [issuer, trust] of [
      [others, 'on'],
      [personal, 'on'],
      [tenant, 'off'],
    ] as const)
      expect(trustedEmail(issuer, trust, { preferred_username: email, upn: email })).toBeNull()
  })

  test('may be the only item of a list', () => {
    expect(trustedEmail(others, null, { email: [email], email_verified: true })).toBe(email)
    expect(trustedEmail(others, null, { email: [email, 'b@x.example'], email_verified: true })).toBeNull()
  })

  test('is required and must be a valid e-mail address', () => {
    for (const claims of [
      undefined,
      {},
      { email: '' },
      { email: 'ana', email_verified: true },
      { email: `Ana <${email}>`, email_verified: true },
      { email: `Ana <${email}>\u200b`, email_verified: true },
      { email: `mailto:${email}`, email_verified: true },
      { email: { toString: () => email }, email_verified: true },
    ])
      expect(trustedEmail(others, 'on', claims)).toBeNull()
  })
})

test('recognizes URLs of Microsoft Entra without a tenant id', () => {
  for (const name of ['common', 'organizations', 'consumers', 'contoso.onmicrosoft.com'])
    expect(isEntraWithoutTenant(`https://login.microsoftonline.com/${name}/v2.0`)).toBe(true)
  expect(isEntraWithoutTenant('https://login.microsoftonline.com')).toBe(true)
  expect(isEntraWithoutTenant(tenant)).toBe(false)
  expect(isEntraWithoutTenant(others)).toBe(false)
})
