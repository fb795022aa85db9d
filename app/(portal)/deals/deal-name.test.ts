import { expect, test } from 'vitest'
import { dealAddress, dealTitle } from './deal-name.ts'

test.each([
  [{ dealname: 'Lopez, Ana - 7.20 kW', firstName: 'Ana' }, 'Lopez, Ana - 7.20 kW'],
  [{ dealname: '', firstName: 'Ana', lastName: 'Lopez' }, 'Lopez, Ana'],
  [{ dealname: null, firstName: null, lastName: 'Lopez' }, 'Lopez'],
  [{}, 'Deal 9007199254740993'],
])('shows the deal %j as %s', (deal, title) => {
  expect(dealTitle({ id: 9007199254740993n, ...deal })).toBe(title)
})

test.each([
  [
    { streetAddress: '1 Elm St', city: 'Austin', state: 'TX', zipCode: '78701' },
    '1 Elm St, Austin, TX 78701',
  ],
  [{ streetAddress: null, city: 'Austin', state: null, zipCode: '78701' }, 'Austin, 78701'],
  [{}, ''],
])('the street address of %j is %j', (deal, address) => {
  expect(dealAddress(deal)).toBe(address)
})
