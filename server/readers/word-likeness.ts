// Scores how much decoded text looks like words. A name such as `Dvořák` contains the letters of one language
// in their usual positions. Decoded with the wrong encoding, it mixes letters of several languages, as in
// `Dvoøák`.

/** The common letters beyond ASCII in each language. */
const languages = [
  'áéíóúñü',
  'àâçéèêëîïôœùûü',
  'äöüß',
  'áâãçéêíóôõú',
  'àèéìòù',
  'åäöé',
  'æøåé',
  'áéíóúýþæöð',
  'ąćęłńóśźż',
  'áčďéěíňóřšťúůýž',
  'áäčďéíĺľňóôŕšťúýž',
  'áéíóöőúüű',
  'ăâîşţ',
  'čćđšž',
  'çğıöşü',
  'ąčęėįšųūž',
  'āčēģīķļņšūž',
  'äöõüšž',
].map((letters) => new Set([...letters, ...letters.toUpperCase(), ...(letters.includes('ı') ? 'İ' : '')]))

const frequent = /[áéíóúñüöä]/iu
// Letters of languages that are rare in America.
const rare = /[ýþð]/iu
const latin = /\p{Script=Latin}/u
const isLetter = (character: string) => /\p{L}/u.test(character)

/** Letters that usually occur only before or after certain other letters. */
const places: readonly [letter: RegExp, isUsual: (before: string, after: string) => boolean][] = [
  [/ñ/i, (_, after) => /[aeiouáéíóúü]/i.test(after)],
  [/ç/i, (before, after) => /[aouãâáõóúıüğş]/i.test(after) || after === '' || before === ''],
  [/ã/i, (_, after) => /^[oes]?$/i.test(after)],
  [/õ/i, (_, after) => /e/i.test(after)],
  [/œ/i, (_, after) => /u/i.test(after)],
  [/[àìòù]/i, (_, after) => after === ''],
  [/æ/i, (before, after) => !/[aeiou]/i.test(before) && after !== ''],
  [/ğ/i, (before) => /[aeıioöuü]/i.test(before)],
]

/** A word as decoded with an encoding. Frequent words have more weight. */
export interface WeightedWord {
  text: string
  weight: number
}

/**
 * Rates how plausible words are by their characters beyond ASCII. The letters of a word should belong to one
 * language, preferably the language of most words in the file.
 */
export function likenessOf(words: readonly WeightedWord[]): number {
  const ofLanguages = languages.map(() => 0)
  let score = 0
  for (const { text, weight } of words) {
    const { others: points, letters } = pointsOf(text)
    score += points * weight
    if (letters.length === 0) continue
    const sums = languages.map((language) =>
      letters.reduce((sum, { letter, points: of }) => sum + (language.has(letter) ? of : -1), 0),
    )
    for (const [at, sum] of sums.entries()) ofLanguages[at]! += sum * weight
    score += Math.max(...sums) * weight
  }
  return score + Math.max(...ofLanguages) / 2
}

/** Returns the points of each letter in a word, and the total points of other characters. */
function pointsOf(word: string): { others: number; letters: { letter: string; points: number }[] } {
  const characters = [...word]
  const letters: { letter: string; points: number }[] = []
  let others = 0
  for (const [index, character] of characters.entries()) {
    if (character.charCodeAt(0) < 0x80) continue
    const [before = '', after = ''] = [characters[index - 1], characters[index + 1]]
    const points = isLetter(character)
      ? letterScore(character, before, after)
      : signScore(character, before, after)
    // Few names contain three such letters in a row.
    const isCrowded = index > 1 && characters.slice(index - 2, index).every(isAccented)
    if (points > 0 && latin.test(character))
      letters.push({ letter: character, points: isCrowded ? -2 : points })
    else others += points
    // Accepts apostrophes and quotation marks as in `it’s`, `“as` and `built”`.
    if (character === '’' && isLetter(before) && ending.test(characters.slice(index + 1).join('')))
      others += 2
    if ((character === '“' && index === 0) || (character === '”' && after === '')) others++
  }
  return { others, letters }
}

const isAccented = (character: string) => character.charCodeAt(0) >= 0x80 && isLetter(character)

function letterScore(letter: string, before: string, after: string): number {
  if ('ªº'.includes(letter)) return /\d/.test(before) ? 1 : -2
  const isUpper = letter !== letter.toLowerCase()
  const isBroken =
    // An uppercase letter after a lowercase letter.
    (isUpper && isLetter(before) && before !== before.toUpperCase()) ||
    (!isLetter(before) && !isLetter(after) && latin.test(letter))
  if (isBroken) return -3
  if (!latin.test(letter)) return -3
  if (!isUpper && after !== after.toLowerCase() && isLetter(before) && before !== before.toLowerCase())
    return -1
  const isUsual = places.find(([place]) => place.test(letter))?.[1]
  if (isUsual?.(before, after) === false || rare.test(letter)) return 1
  return frequent.test(letter) ? 3 : 2
}

// Signs, and the characters that usually surround them.
const betweenLetters = '’‘·'
const ending = /^(?:s|t|d|m|re|ve|ll)$/i
const besideDigits = '°½¼¾€£¥¢²³–—±×'
const beside = '’‘“”–—…•®™©°½¼¾€£¥¢²³¡¿«»§¶№\u00a0'

function signScore(sign: string, before: string, after: string): number {
  const code = sign.codePointAt(0)!
  if (code === 0xfffd || (code >= 0x80 && code < 0xa0)) return -5
  if (isLetter(before) && isLetter(after)) return betweenLetters.includes(sign) ? 2 : -3
  if (/\d/.test(before + after) && besideDigits.includes(sign)) return 2
  return beside.includes(sign) ? 1 : -1
}
