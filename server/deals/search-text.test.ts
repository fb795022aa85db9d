import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { DealRecord } from './deal.ts'
import { fold, meansAnyOf, queryOfTerm, typosOf, termsOf, wordsOf } from './search-text.ts'

const deal: DealRecord = {
  id: 20411000193n,
  dealname: "O'Brien, Zoë – 8.80 kW",
  firstName: 'Zoë',
  lastName: "O'Brien",
  nameOnUb: null,
  streetAddress: '1208 W Palm Ln #4',
  city: 'Phoenix',
  state: 'AZ',
  zipCode: '85007-1234',
  utilityName: 'Arizona Public Service',
  primaryPhone: '+1 (602) 555-0147',
  hoaEmail: 'Board@Encanto.example',
}

/**
 * Returns true if the search finds the deal: each search word must be a prefix of a word in the deal, or of
 * another spelling of that word.
 */
const finds = (search: string, record: DealRecord = deal) => {
  const words = wordsOf(record)
  const begins = (start: string) => words.some((word) => word.startsWith(start))
  return termsOf(search).every(
    ({ start, others, splits = [] }) =>
      begins(start) ||
      others.some((other) => words.includes(other)) ||
      splits.some((parts) =>
        parts.every((part, at) => (at < parts.length - 1 ? words.includes(part) : begins(part))),
      ),
  )
}

test('folds combining marks in the wrong order as fast as any other text', () => {
  expect(fold(`Zoe${'\u0301\u0323'.repeat(200_000)}!`)).toBe('zoe!')
})

test('compares a string and its decomposed form as equal', () => {
  const character = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }),
    fc.constantFrom('\u0301', '\u0323', '\u0344', '\uff9e', 'ẛ̣', '각', '\u{1d15e}', 'ﷺ', 'Σ', "'", 'Ǿ', 'İ'),
  )
  // Standalone accents decompose into a space and a mark, but people type them as apostrophes.
  const isAccent = (text: string) => /[´\u1fbd\u1fbf\u1ffd\u1ffe]/.test(text)
  fc.assert(
    fc.property(
      fc.array(character.filter((text) => !isAccent(text))).map((parts) => parts.join('')),
      (text) => fold(text) === fold(text.normalize('NFKD')),
    ),
    { seed: 20_261_122, numRuns: 3000 },
  )
})

test.each([
  ['Łódź', 'lodz'],
  ['SØRENSEN, Bjørn', 'sorensen, bjorn'],
  ['Đặng', 'dang'],
  ['Weiß', 'weiss'],
  ['WEIẞ', 'weiss'],
  ['Ægir Þór Guðrún', 'aegir thor gudrun'],
  ['Cœur', 'coeur'],
  ['IŞIK Işık İSTANBUL', 'isik isik istanbul'],
  ['Ħal Ŋuyen', 'hal nuyen'],
  ['ｆｕｌｌ　ｗｉｄｔｈ', 'full width'],
  ['e\u0301clair', 'eclair'],
  ['Hawaiʻi', 'hawaii'],
  ["Zoë O'Brien, ﬁ", 'zoe obrien, fi'],
  ["O'Brien O’Brien Oʼ‘Brien O´Brien O`Brien O′Brien O＇Brien", Array(7).fill('obrien').join(' ')],
  ['Mac\u00adDonald Zoe\u200b', 'macdonald zoe'],
])('folds %s to %s', (text, folded) => {
  expect(fold(text)).toBe(folded)
  expect(fold(folded)).toBe(folded)
})

describe('a deal is found by', () => {
  test.each([
    'obrien',
    "o'bri",
    'zoe',
    'ZOË o',
    '8.80',
    '1208 palm',
    'w palm ln',
    'phoe',
    'az',
    '85007',
    '85007-1234',
    'arizona pub',
    '602',
    '+1 602 555 01',
    '1-602-555-0147',
    '1208 West Palm Lane',
    '1208 W Palm Ln #4, Phoenix, AZ 85007, USA',
    'Zoë O’Brien',
    'O’Brien, Zoë',
    '20411000193',
    '204110',
    'board@encanto',
    'board',
    '',
  ])('the search text %j', (search) => expect(finds(search)).toBe(true))
})

test('a word is not split into short parts', () => {
  for (const search of ['dave', 'stone', 'lane', 'i10', 'm2']) expect(termsOf(search)[0]!.splits).toEqual([])
  expect(termsOf('garcia and').map(({ start }) => start)).toEqual(['garcia', 'and'])
})

test.each(['brien', 'smith', 'zoe smith', '602-555-0148', '411000193', 'x@y'])(
  'a deal is not found by %j',
  (search) => expect(finds(search)).toBe(false),
)

test('finds a deal without data only by its id', () => {
  expect(wordsOf({ id: -7n, dealname: null })).toEqual(['-7'])
})

test('words are short, unique, and free of query operators', () => {
  const words = wordsOf({
    id: 1n,
    dealname: `${'a'.repeat(1000)} x x '; drop table deals; -- \\ :* & | ! <-> \u{1f600}`,
    city: 'X',
  })
  expect(words).toEqual(['a'.repeat(40), 'x', 'drop', 'table', 'deals', '1'])
})

test('a search for only punctuation has no terms, and a search for a hundred words has eight', () => {
  expect(termsOf(' - – !! ')).toEqual([])
  expect(termsOf('a '.repeat(100))).toHaveLength(8)
})

test.each([
  ['602-555-0147', '+1 602 555 0147'],
  ['6025550147', '1 (602) 555-0147'],
  ['+16025550147', '(602) 555 0147'],
  ['602.555.0147', '16025550147'],
  ['(602) 555-0147 x123', '6025550147'],
  ['(602) 555-0147 x123', '5550147'],
  ['(602) 555-0147 ext. 12', '0147'],
  ['602-555-0147 #5', '602-555-0147 #5'],
  ['+1 602 555 0147, ext 12', '602-555-0147 x12'],
  ['6025550147', '(602) 555-0147 extension 123'],
  ['6025550147x123', '5550147'],
  ['602-555-0147 480-555-0188', '4805550188'],
  ['602-555-0147 (mobile) or 480-555-0188', '6025550147'],
  ['6025550147', '602 555'],
  ['+52 33 1234 5678', '+52 33 1234'],
  ['+52 33 1234 5678', '+523312345678'],
])('the phone number %s is found by %s', (primaryPhone, search) => {
  expect(finds(search, { id: 1n, primaryPhone })).toBe(true)
})

test('finds an id that looks like a phone number with a country code', () => {
  expect(finds('16025550147', { id: 16_025_550_147n })).toBe(true)
})

test.each([
  ['12 N Main St', '12 north main street'],
  ['12 North Main Street', '12 n main st'],
  ['4 Saint James Blvd', '4 st james boulevard'],
  ['4 St James Boulevard', '4 saint james blvd'],
  ['9 SW 3rd Ave', '9 southwest 3rd avenue'],
  ['9 Southwest 3rd Avenue', '9 sw 3rd ave'],
  ['9 E Camelback Hts', '9 east camelback heights'],
  ['9 Red Mountain Way', '9 red mtn wy'],
])('the street address %s is found by %s', (streetAddress, search) => {
  expect(finds(search, { id: 1n, streetAddress })).toBe(true)
  expect(finds(`${search} x`, { id: 1n, streetAddress })).toBe(false)
})

test.each([
  ['P.O. Box 12', 'po box 12'],
  ['PO Box 12', 'P.O. Box 12'],
  ['P. O. Box 12', 'PO Box'],
  ['P O Box 12', 'p.o. b'],
  ['PO BOX 12', 'p. o. box 12'],
  ['12 N.W. 3rd Ave', 'nw 3rd'],
  ['12 NW 3rd Ave', 'N.W. 3rd'],
  ['Smith-Jones', 'smith jones'],
  ['Smith-Jones', 'smithjones'],
  ['SmithJones', 'Smith-Jones'],
  ['Smith Jones', 'smith-jones'],
  ['Smith‑Jones', 'Smith–Jones'],
  ['J. R. Smith', 'J.R. Smith'],
  ['J.R. Smith', 'JR Smith'],
  ['JR Smith', 'J.R. Smith'],
  ['Weiß', 'weiss'],
  ['Weiss', 'WEIß'],
  ['Kalākaua, Hawaiʻi', "hawai'i kalakaua"],
  ["O'Brien, Ana", 'ana o brien'],
  ["D'Angelo", 'd angelo'],
  ['McDonald, Jo', 'Mc Donald jo'],
  ['DeLaCruz', 'de la cruz'],
  ['De La Cruz, Ana', 'delacruz'],
  ['De La Cruz, Ana', 'ana delacruz'],
  ['O Brien', "o'brien"],
  ['Van der Berg', 'vanderberg'],
  ['Mc Donald', 'McDonald'],
  ['St. James', 'stjames'],
  ['Müller', 'mueller'],
  ['Mueller', 'Müller'],
  ['Mu\u0308ller-Böhm', 'mueller-boehm'],
  ['Mueller', 'Mu\u0308ller'],
  ['Sørensen', 'soerensen'],
  ['Soerensen', 'sørensen'],
  ['PRJ-0042', 'prj0042'],
  ['PRJ0042', 'prj-0042'],
  ['PRJ 0042', 'PRJ0042'],
  ['Garcia & Sons', 'garcia and sons'],
  ['Garcia and Sons', 'garcia & sons'],
  ['9 Seventh Ave', '9 7th ave'],
  ['9 7th Ave', '9 seventh avenue'],
])('the deal name %s is found by %s', (dealname, search) => {
  expect(finds(search, { id: 1n, dealname })).toBe(true)
  expect(finds(`${search} x`, { id: 1n, dealname })).toBe(false)
})

test('splits a word of repeated particles in few ways', () => {
  for (const word of ['del'.repeat(66), 'd'.repeat(200)])
    expect(JSON.stringify(termsOf(word)).length).toBeLessThan(5000)
})

test('finds a state by its code in any spelling', () => {
  for (const state of ['AZ', 'Arizona', 'az.', 'AZ '])
    expect(finds('az', { id: 1n, state }), state).toBe(true)
})

test('also searches for an e-mail address exactly as typed', () => {
  expect(termsOf("O'Brien@sunline.example")).toEqual([
    { start: 'obrien@sunline.example', email: "o'brien@sunline.example", others: [] },
  ])
})

describe('a typo in a word', () => {
  const meets = (typed: string, word: string) => typosOf(typed).some(meansAnyOf([word]))

  test.each([
    ['lopes', 'lopez'],
    ['lopz', 'lopez'],
    ['loopez', 'lopez'],
    ['lpoez', 'lopez'],
    ['rodrigez', 'rodriguez'],
    ['rodrgi', 'rodriguez'],
    ['straet', 'street'],
    ['łopezz', 'łopez'],
  ])('is corrected: %s finds %s', (typed, word) => expect(meets(typed, word)).toBe(true))

  test.each([
    ['two typos', 'lopas', 'lopez'],
    ['a short word', 'ann', 'ana'],
    ['a number', '1432', '1423'],
    ['a word with a digit', '3rdd', '3rd'],
  ])('is not corrected for %s', (_, typed, word) => expect(meets(typed, word)).toBe(false))

  test('never yields a longer word with the same prefix', () => {
    expect(typosOf('lopez').filter((typo) => typo.startsWith('lopez'))).toEqual([])
  })
})

test('the query of a term includes other spellings, and similar words with theirs', () => {
  const [term] = termsOf('stret')
  expect(queryOfTerm(term!)).toBe("'stret':*")
  expect(queryOfTerm(term!, ['street'])).toBe("('stret':* | 'st' | 'street':*)")
  expect(queryOfTerm(termsOf('north')[0]!)).toBe("('north':* | 'n')")
})
