import { describe, expect, test } from 'vitest'
import { partnerOfQuery } from '#server/accounts/partner.ts'
import { withOtherPartner, withPartner } from './partner-href.ts'

describe('a URL of the portal', () => {
  test.each([
    ['/', '/?partner=acme'],
    ['/deals', '/deals?partner=acme'],
    ['/deals/7#history', '/deals/7?partner=acme#history'],
    ['/deals?q=a%20b,c&stage=x+y', '/deals?q=a%20b,c&stage=x+y&partner=acme'],
    ['/deals?partner=other&q=x', '/deals?q=x&partner=acme'],
    ['/deals?partner&partner=&partner=other', '/deals?partner=acme'],
    ['/deals?', '/deals?partner=acme'],
    ['/deals?partners=x&notpartner=y', '/deals?partners=x&notpartner=y&partner=acme'],
    ['#verify', '#verify'],
  ])('for a partner, %s becomes %s', (href, expected) => {
    expect(withPartner(href, 'acme')).toBe(expected)
  })

  test.each([
    ['/deals?partner=acme', '/deals'],
    ['/deals?q=x&partner=acme#y', '/deals?q=x#y'],
    ['/', '/'],
  ])('for all partners, %s becomes %s', (href, expected) => {
    expect(withPartner(href, null)).toBe(expected)
  })

  test.each([
    'partner=',
    'partner',
    'partner=a&partner=a',
    'partner=a&p%61rtner=b',
    'partner=A',
    'partner=a%00',
    'partner=-',
    'partner=__proto__',
    `partner=${'x'.repeat(64)}`,
  ])('the query %s contains no valid partner', (query) => {
    expect(partnerOfQuery(new URLSearchParams(query))).toBe('-')
  })
})

test('switching partners keeps the page, unless the page shows an item of the previous partner', () => {
  expect(withOtherPartner('/deals', 'q=x&partner=old', 'acme')).toBe('/deals?q=x&partner=acme')
  expect(withOtherPartner('/deals', 'partner=old', null)).toBe('/deals')
  expect(withOtherPartner('/deals/123', 'partner=old', 'acme')).toBe('/deals?partner=acme')
  expect(withOtherPartner('/deliveries/9', 'partner=old', null)).toBe('/deliveries')
  expect(withOtherPartner('/', '', 'acme')).toBe('/?partner=acme')
})
