import { expect, test } from 'vitest'
import { splitPlace } from './place.ts'

test.each([
  ['12 Oak St, Mesa, AZ 85203', ['12 Oak St', 'Mesa', 'AZ', '85203']],
  ['12 Oak St, Unit 4, Mesa, AZ 85203-1234, USA', ['12 Oak St, Unit 4', 'Mesa', 'AZ', '85203-1234']],
  ['12 Oak St Mesa AZ 85203', ['12 Oak St', 'Mesa', 'AZ', '85203']],
  ['12 W Oak Ave. Apt 4 San Tan Valley, AZ 85140', ['12 W Oak Ave. Apt 4', 'San Tan Valley', 'AZ', '85140']],
  ['12 Oak St NW Albuquerque NM', ['12 Oak St NW', 'Albuquerque', 'NM', undefined]],
  ['12 St Mary Ave St Louis MO 63101', ['12 St Mary Ave', 'St Louis', 'MO', '63101']],
  ['12 Oak St St Louis MO', ['12 Oak St', 'St Louis', 'MO', undefined]],
  ['12 Park Place Ct Mesa AZ', ['12 Park Place Ct', 'Mesa', 'AZ', undefined]],
  ['12 Oak St, Building B, CA', ['12 Oak St, Building B', undefined, 'CA', undefined]],
  ['12 Oak St, Unit 4, AZ 85203', ['12 Oak St, Unit 4', undefined, 'AZ', '85203']],
])('splits %s into street, city, state and ZIP code', (text, [streetAddress, city, state, zipCode]) =>
  expect(splitPlace.fullAddress(text)).toEqual({
    streetAddress,
    state,
    ...(city !== undefined && { city }),
    ...(zipCode !== undefined && { zipCode }),
  }),
)

test.each([
  '12 Oak St',
  '12 Avenue of the Stars CA',
  'Mesa, AZ 85203',
  '12 Oak Mesa AZ',
  'Oak St Mesa AZ',
  '12 Oak St AZ',
])('%s is not a full street address', (text) => expect(splitPlace.fullAddress(text)).toBeNull())
