import { expect, test } from 'vitest'
import { stateCodeOf, stateForm } from './states.ts'

test.each([
  [
    'AZ',
    ['AZ', 'az', 'Az.', ' AZ ', 'AZ\u00a0', 'Arizona', 'ARIZONA', 'Ariz.', 'Arizona (AZ)', 'AZ - Arizona'],
  ],
  ['AZ', ['US-AZ', 'AZ, USA', 'Arizona, United States', 'ＡＺ']],
  ['DC', ['DC', 'D.C.', 'Washington, D.C.', 'Washington DC', 'District of Columbia']],
  ['NM', ['NM', 'N.M.', 'New  Mexico', 'new mexico']],
  ['WV', ['W. Va.', 'W.Va.', 'West Virginia']],
  ['CA', ['CA', 'Calif.', 'California']],
  ['PR', ['PR', 'Puerto Rico', 'US-PR']],
  ['VI', ['VI', 'U.S. Virgin Islands', 'USVI']],
  ['GU', ['Guam', 'gu']],
  ['ON', ['ON', 'Ont.', 'Ontario', 'CA-ON', 'Ontario, Canada']],
  ['QC', ['Québec', 'QC', 'Quebec', 'Que.', 'CA-QC']],
  ['NL', ['Newfoundland and Labrador', 'nl']],
  ['AE', ['AE', 'Armed Forces Europe']],
])('the code %s belongs to %j', (code, texts) => {
  for (const text of texts) expect(stateForm(text), text).toBe(code)
})

test.each(['', 'Bavaria', 'Arizonia', 'AZ or CA', 'AZ/CA', 'constructor', 'USA', 'A'.repeat(1000)])(
  '%j has no state code',
  (text) => expect(stateCodeOf(text)).toBeNull(),
)

test('other text loses only extra spaces', () => {
  expect(stateForm('  Baja   California ')).toBe('Baja California')
  expect(stateForm(' ')).toBe('')
})
