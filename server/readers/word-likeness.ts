// Scores how much bytes look like words in an encoding. A name such as `Dvořák` has letters of one language, in their
// usual places; decoded with the wrong encoding, it mixes letters of several languages, as in `Dvoøák`.

/** The letters beyond ASCII of languages, without those that their names hardly have. */
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
  'ăâđêôơư',
].map((letters) => new Set([...letters, ...letters.toUpperCase(), ...(letters.includes('ı') ? 'İ' : '')]))

const vowels = /[аеиоуіαεηιουωάέήίόύώ]/iu
const scripts = [
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Arabic}/u,
  /\p{Script=Hangul}/u,
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々]/u,
]
const withoutCase = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Hiragana}\p{Script=Katakana}]/u
const hangul = /\p{Script=Hangul}/u
const han = /\p{Script=Han}/u

let usualHan: ReadonlySet<string> | undefined

/** Returns whether the encodings of Chinese list a character first, because most texts consist of these. */
function isUsualHan(letter: string): boolean {
  // Few files need them.
  usualHan ??= new Set([...listed('gb18030', 0xb0, 0xd7), ...listed('big5', 0xa4, 0xc6)])
  return usualHan.has(letter)
}

/** Returns the characters of an encoding of two bytes whose first byte is in this range. */
function listed(encoding: string, first: number, last: number): string {
  const pairs: number[] = []
  for (let lead = first; lead <= last; lead++)
    for (let trail = encoding === 'big5' ? 0x40 : 0xa1; trail <= 0xfe; trail++)
      if (trail < 0x7f || trail > 0xa0) pairs.push(lead, trail)
  return new TextDecoder(encoding).decode(Uint8Array.from(pairs))
}

const frequent = /[áéíóúñüöä]/iu
// Letters of languages that the file of a company in America hardly has.
const rare = /[ýþð]/iu
const latin = /\p{Script=Latin}/u
const isLetter = (character: string) => /\p{L}/u.test(character)

/** Letters that stand only before or after certain others, in the languages where they are usual. */
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

/** A word of a file as an encoding reads it; one that occurs often has more weight. */
export interface WeightedWord {
  text: string
  weight: number
}

/**
 * Returns how much words look like words, from their characters beyond ASCII. The words of a file may be of several
 * languages, but those of one word are of one, and one that has the letters of most words makes them likelier.
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

/** Returns the points of the letters of a word that a language may have, and those of all other characters. */
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
    // Few names have three such letters in a row.
    const isCrowded = index > 1 && characters.slice(index - 2, index).every(isAccented)
    if (points > 0 && latin.test(character))
      letters.push({ letter: character, points: isCrowded ? -2 : points })
    else others += points
    // `it’s`, `“as` and `built”`.
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
    // An uppercase letter within a word of lowercase letters.
    (isUpper && isLetter(before) && before !== before.toUpperCase()) ||
    (!isLetter(before) && !isLetter(after) && latin.test(letter))
  if (isBroken) return -3
  if (!latin.test(letter)) return scriptScore(letter, before, after)
  if (!isUpper && after !== after.toLowerCase() && isLetter(before) && before !== before.toLowerCase())
    return -1
  const isUsual = places.find(([place]) => place.test(letter))?.[1]
  if (isUsual?.(before, after) === false || rare.test(letter)) return 1
  return frequent.test(letter) ? 3 : 2
}

/** Returns the points of a letter of another script, which no word shares with Latin letters. */
function scriptScore(letter: string, before: string, after: string): number {
  const script = scripts.find((each) => each.test(letter))
  if (script === undefined) return -2
  const isAlike = [before, after].every((beside) => !isLetter(beside) || script.test(beside))
  if (!isAlike || (!isLetter(before) && !isLetter(after))) return -3
  if (han.test(letter)) return isUsualHan(letter) ? 5 : -1
  if (hangul.test(letter)) return 6
  return vowels.test(letter) || withoutCase.test(letter) ? 3 : 2
}

/** Signs that stand before, after or between what, beyond the letters. */
const betweenLetters = '’‘·'
const ending = /^(?:s|t|d|m|re|ve|ll)$/i
const besideDigits = '°½¼¾€£¥¢²³–—±×'
const beside = '’‘“”–—…•®™©°½¼¾€£¥¢²³¡¿«»§¶№\u00a0'

const vietnameseTone = /[\u0300\u0301\u0303\u0309\u0323]/

function signScore(sign: string, before: string, after: string): number {
  const code = sign.codePointAt(0)!
  if (code === 0xfffd || (code >= 0x80 && code < 0xa0)) return -5
  if (vietnameseTone.test(sign)) return /[aeiouyăâêôơư]/i.test(before) ? 2 : -3
  if (isLetter(before) && isLetter(after)) return betweenLetters.includes(sign) ? 2 : -3
  if (/\d/.test(before + after) && besideDigits.includes(sign)) return 2
  return beside.includes(sign) ? 1 : -1
}
