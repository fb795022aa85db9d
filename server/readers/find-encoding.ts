import { isAscii } from 'node:buffer'
import {
  type TextFile,
  bytesOf,
  decoderOf,
  type TwiceEncoding,
  isAllTwice,
  openLength,
  twiceEncodings,
} from './decode.ts'
import type { Encoding, EncodingChoice } from './file-source.ts'

/** The encoding of a text file. `choices` is set if other encodings decode the file differently. */
export interface FoundEncoding {
  encoding: Encoding
  choices?: EncodingChoice[]
}

/** Non-Unicode encodings, most common first. If two fit equally well, the first one is chosen. */
const candidates = [
  'windows-1252',
  'macintosh',
  'iso-8859-15',
  'ibm850',
  'ibm437',
  'windows-1250',
  'iso-8859-2',
  'windows-1254',
  'windows-1257',
] as const

/** Encodings that programs in America write. Any other encoding needs more evidence than a letter or two. */
const usual = new Set<Encoding>(['windows-1252', 'macintosh', 'iso-8859-15', 'ibm850', 'ibm437'])
const unusualCost = 1.4

/**
 * Determines the encoding of a file from all of its bytes: UTF-16 or UTF-8 if valid, otherwise UTF-8 with a
 * few broken bytes, or the encoding in which the words look most plausible. UTF-8 counts as encoded twice if
 * all of its characters beyond ASCII look like it.
 */
export async function findEncoding(file: TextFile): Promise<FoundEncoding> {
  const { start, isValid, twice } = await checkUtf8(file)
  const marked = utf16Of(start)
  if (marked !== null) return { encoding: marked }
  if (isValid && twice === null) return { encoding: 'utf-8' }
  const words = await collectWords(file)
  if (twice !== null)
    return { encoding: twice, choices: choicesOf(words.list, ['utf-8', twice], ['utf-8', twice]) }
  const ranked = candidates
    .map((encoding) => ({ encoding, score: scoreOf(words.list, encoding) }))
    .toSorted((a, b) => b.score - a.score)
    .map(({ encoding }) => encoding)
  const isMostly = words.valid > words.broken
  const all: Encoding[] = isMostly ? ['utf-8', ...ranked] : [...ranked, 'utf-8']
  return { encoding: all[0]!, choices: choicesOf(words.list, all, all.slice(0, comparedMax)) }
}

const shownMax = 5
// Number of most likely encodings that the displayed words should distinguish.
const comparedMax = 4

/**
 * Returns the encodings that decode any word differently, with the words that best distinguish the compared
 * encodings.
 */
function choicesOf(
  words: Word[],
  encodings: readonly Encoding[],
  compared: readonly Encoding[],
): EncodingChoice[] {
  const variety = ({ bytes }: Word) => new Set(compared.map((encoding) => decodeWord(bytes, encoding))).size
  const examples = words
    .map((word, at) => ({ word, at, variety: variety(word) }))
    .toSorted((a, b) => b.variety - a.variety)
    .slice(0, shownMax)
    .toSorted((a, b) => a.at - b.at)
    .map(({ word }) => word)
  const known = new Set<string>()
  return encodings.flatMap((encoding) => {
    const text = words.map(({ bytes }) => decodeWord(bytes, encoding)).join('\n')
    if (known.has(text)) return []
    known.add(text)
    return [{ encoding, words: examples.map(({ bytes }) => decodeWord(bytes, encoding)) }]
  })
}

const startBytes = 4096

/** Returns the start of a file, whether it is valid UTF-8, and its double encoding, if any. */
async function checkUtf8(
  file: TextFile,
): Promise<{ start: Buffer; isValid: boolean; twice: TwiceEncoding | null }> {
  let start = Buffer.alloc(0)
  let isValid = true
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const twice = new TwiceCheck()
  const check = (bytes?: Uint8Array) => {
    try {
      twice.add(decoder.decode(bytes, { stream: bytes !== undefined }))
    } catch {
      isValid = false
    }
  }
  for await (const bytes of bytesOf(file)) {
    if (start.length < startBytes) start = Buffer.concat([start, bytes.subarray(0, startBytes)])
    if (isValid) check(bytes)
  }
  if (isValid) check()
  return { start, isValid, twice: isValid ? twice.end() : null }
}

/** Checks whether all characters beyond ASCII in a file were encoded twice. */
class TwiceCheck {
  #possible = twiceEncodings.map((encoding) => ({ encoding, rest: '' }))
  #isFound = false

  add(text: string): void {
    this.#isFound ||= /[^\0-\x7f]/.test(text)
    if (!this.#isFound) return
    this.#possible = this.#possible.flatMap(({ encoding, rest }) => {
      const joined = rest + text
      const end = joined.length - openLength(joined, encoding)
      return isAllTwice(joined.slice(0, end), encoding) ? [{ encoding, rest: joined.slice(end) }] : []
    })
  }

  end(): TwiceEncoding | null {
    const found = this.#possible.find(({ encoding, rest }) => isAllTwice(rest, encoding))
    return this.#isFound && found !== undefined ? found.encoding : null
  }
}

/** Recognizes UTF-16 by its byte order mark, or by ASCII text in which every other byte is zero. */
export function utf16Of(start: Buffer): 'utf-16le' | 'utf-16be' | null {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le'
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be'
  const zeros = [0, 0]
  for (const [index, byte] of start.entries()) if (byte === 0) zeros[index % 2]!++
  const [few, most] = [start.length * 0.05, start.length * 0.3]
  if (zeros[1]! > most && zeros[0]! <= few) return 'utf-16le'
  return zeros[0]! > most && zeros[1]! <= few ? 'utf-16be' : null
}

/** A word with characters beyond ASCII, and the number of occurrences. */
interface Word {
  bytes: Buffer
  count: number
}

const wordsMax = 2000
const wordMaxBytes = 60

/**
 * Returns the first words with characters beyond ASCII, and the numbers of valid and broken UTF-8 characters.
 */
async function collectWords(file: TextFile): Promise<{ list: Word[]; valid: number; broken: number }> {
  const words = new Map<string, Word>()
  const decode = decoderOf('utf-8')
  const found = { valid: 0, broken: 0 }
  let rest = Buffer.alloc(0)
  for await (const bytes of bytesOf(file)) {
    for (const [character] of decode(bytes).matchAll(/[^\0-\x7f]/gu))
      found[character === '\ufffd' ? 'broken' : 'valid']++
    const joined = Buffer.concat([rest, bytes])
    let start = 0
    for (let at = 0; at < joined.length; at++) {
      if (isInWord(joined[at]!)) continue
      addWord(words, joined.subarray(start, at))
      start = at + 1
    }
    rest = joined.subarray(Math.max(start, joined.length - wordMaxBytes))
  }
  addWord(words, rest)
  return { list: [...words.values()], ...found }
}

const isInWord = (byte: number) =>
  byte >= 0x80 ||
  (byte >= 0x61 && byte <= 0x7a) ||
  (byte >= 0x41 && byte <= 0x5a) ||
  (byte >= 0x30 && byte <= 0x39) ||
  byte === 0x27

function addWord(words: Map<string, Word>, bytes: Buffer): void {
  if (bytes.length === 0 || isAscii(bytes)) return
  const cut = bytes.subarray(0, wordMaxBytes)
  const key = cut.toString('latin1')
  const known = words.get(key)
  if (known !== undefined) known.count++
  else if (words.size < wordsMax) words.set(key, { bytes: Buffer.from(cut), count: 1 })
}

const decodeWord = (bytes: Buffer, encoding: Encoding) => {
  const decode = decoderOf(encoding)
  return decode(bytes) + decode()
}

/** Returns how plausible the words are in this encoding. */
function scoreOf(words: Word[], encoding: Encoding): number {
  // Repetitions of a word add little evidence.
  const read = words.map(({ bytes, count }) => ({
    text: decodeWord(bytes, encoding),
    weight: Math.log2(1 + count),
  }))
  return likenessOf(read) - (usual.has(encoding) ? 0 : unusualCost)
}

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
interface WeightedWord {
  text: string
  weight: number
}

/**
 * Rates how plausible words are by their characters beyond ASCII. The letters of a word should belong to one
 * language, preferably the language of most words in the file.
 */
function likenessOf(words: readonly WeightedWord[]): number {
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
