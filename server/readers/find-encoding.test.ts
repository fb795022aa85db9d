import { describe, expect, test } from 'vitest'
import { fileOf as inChunks } from '#e2e/read-table.ts'
import { decoderOf, textOf } from './decode.ts'
import { type Encoding, encodings } from './file-source.ts'
import { findEncoding } from './find-encoding.ts'

/** Encodes a string in a single-byte encoding. */
function encode(text: string, encoding: Encoding): Buffer {
  const all = decoderOf(encoding)(Uint8Array.from({ length: 256 }, (_, byte) => byte))
  return Buffer.from(
    [...text].map((character) => {
      const byte = all.indexOf(character)
      if (byte < 0) throw new Error(`${encoding} has no ${character}`)
      return byte
    }),
  )
}

const fileOf = (bytes: Buffer) => inChunks(bytes, 7)

const names = [
  'id,name\n1,"Núñez, René"\n2,"Peña, Inés"\n3,San José',
  'id,name\n1,Müller\n2,Jürgen Groß\n',
  'id,city\n1,Española\n',
  'id,name\n1,JOSÉ NÚÑEZ\n2,MARÍA PEÑA\n',
  'id,name\n1,François Lefèvre\n2,Zoë\n',
  'id,name\n1,João Conceição\n',
  'id,name\n1,Ramón\n',
  'id,name\n1,Ángel\n2,Óscar Íñiguez\n',
  'id,name\n1,Søren Åkesson\n2,Bjørn Ærø\n',
]

/** Names, and the encodings that spreadsheets in the respective countries write. */
const foreign: [Encoding[], string[]][] = [
  [
    ['windows-1250', 'iso-8859-2'],
    [
      'id,name\n1,Łukasz Wójcik\n2,Świętosława Kamińska\n',
      'id,name\n1,Jiří Dvořák\n2,Růžena Němcová\n3,Tomáš Novák\n',
      'id,name\n1,Kovács Gergő\n2,Szűcs Ödön\n',
      'id,name\n1,Ștefan\n'.replace('Ș', 'Ş') + '2,Mihăilescu Ionuţ\n3,Brâncuşi\n',
      'id,name\n1,Ivana Kovačević\n2,Đuro Šimić\n',
    ],
  ],
  [['windows-1254'], ['id,name\n1,Ayşe Yıldırım\n2,Çağlar Öztürk\n3,İbrahim Şahin\n']],
  [
    ['windows-1257'],
    ['id,name\n1,Rūta Kazlauskienė\n2,Jonušaitė\n3,Žemaitis\n', 'id,name\n1,Jānis Bērziņš\n2,Ķekava\n'],
  ],
]

describe('finds the encoding', () => {
  test.each([
    ...(['windows-1252', 'macintosh'] as const).flatMap((encoding) =>
      names.map((text) => [encoding, text] as const),
    ),
    // In DOS and Mac encodings, other common letters have the same codes.
    ...names.slice(0, 4).map((text) => ['ibm850', text] as const),
    ...foreign.flatMap(([written, texts]) =>
      written.flatMap((encoding) => texts.map((text) => [encoding, text] as const)),
    ),
  ])('of names in %s: %j', async (encoding, text) => {
    const found = await findEncoding(fileOf(encode(text, encoding)))
    const decoded = (await Array.fromAsync(textOf(fileOf(encode(text, encoding)), found.encoding))).join('')
    expect(decoded).toBe(text)
    expect(found.choices?.map((choice) => choice.encoding)).toContain(found.encoding)
  })

  test.each([
    ['windows-1252', 'id,notes\n1,the roof – it’s 5½ years old\n2,“as built”\n'],
    ['windows-1252', 'id,notes\n1,O’Brien’s 30° roof\n2,5 – 6 m²\n'],
    ['windows-1252', 'id,notes\n1,cost: 5 €\n2,• call first…\n'],
    ['macintosh', 'id,notes\n1,the roof – it’s old\n2,“as built”\n'],
    ['macintosh', 'id,notes\n1,O’Brien’s 30° roof\n'],
  ] as const)('of punctuation in %s: %j', async (encoding, text) =>
    expect((await findEncoding(fileOf(encode(text, encoding)))).encoding).toBe(encoding),
  )

  test.each([
    ['the euro', 'id,notes\n1,5 € and Žižka\n', 'iso-8859-15'],
    ['names of several languages', 'id,name\n1,Muñoz\n2,Müller\n3,Søren\n4,Lefèvre\n', 'windows-1252'],
    ['one name', 'id,name\n1,Peña\n', 'windows-1252'],
  ] as const)('of a file that contains %s', async (_what, text, encoding) =>
    expect((await findEncoding(fileOf(encode(text, encoding)))).encoding).toBe(encoding),
  )

  test('and shows words that the likeliest encodings read differently', async () => {
    const alike = ['Novák', 'Hájek', 'Kolář', 'Máj', 'Tóth', 'Bílý', 'Říha']
    const rows = alike.map((name, at) => `${at},${name}`).join('\n')
    const { encoding, choices } = await findEncoding(fileOf(encode(rows, 'windows-1250')))
    expect(choices![0]).toMatchObject({ encoding, words: expect.arrayContaining(['Kolář', 'Říha']) })
    expect(choices!.find((choice) => choice.encoding === 'windows-1252')!.words).toContain('Koláø')
  })

  test.each([
    ['UTF-8', Buffer.from('id,city\n1,München\n2,日本\n'), 'utf-8'],
    ['ASCII', Buffer.from('id\n1\n'), 'utf-8'],
    ['nothing', Buffer.alloc(0), 'utf-8'],
    ['UTF-16', Buffer.from('\uFEFFid\n1\n', 'utf16le'), 'utf-16le'],
    ['UTF-16, big endian', Buffer.from('\uFEFFid\n1\n', 'utf16le').swap16(), 'utf-16be'],
    ['UTF-16 without a byte order mark', Buffer.from('id,city\n1,München\n', 'utf16le'), 'utf-16le'],
    [
      'big-endian UTF-16 without a byte order mark',
      Buffer.from('id,city\n1,München\n', 'utf16le').swap16(),
      'utf-16be',
    ],
  ] as const)('without asking, of %s', async (_what, bytes, encoding) =>
    expect(await findEncoding(fileOf(bytes))).toEqual({ encoding }),
  )

  test.each([
    ['utf-8-twice', 'id,name\n1,"GarcÃ­a, RenÃ©"\n2,MuÃ±oz\n3,O’Brien\n'.replace('’', 'â€™')],
    // Encoded twice via Latin-1 instead of Windows-1252.
    ['utf-8-twice', 'id,name\n1,\u00c3\u0081ngel\n2,O\u00e2\u0080\u0099Brien\n3,\u00f0\u009f\u008f\u00a0\n'],
    ['utf-8-twice-mac', 'id,name\n1,"Garc√≠a, Ren√©"\n2,Mu√±oz\n3,O‚ÄôBrien\n'],
  ] as const)('of UTF-8 that was encoded twice: %s', async (encoding, text) => {
    const bytes = Buffer.from(text)
    for (const file of [fileOf(bytes), fileOf(Buffer.concat([Buffer.from('\uFEFF'), bytes]))]) {
      const found = await findEncoding(file)
      expect(found.encoding).toBe(encoding)
      expect(found.choices!.map((choice) => choice.encoding)).toEqual(['utf-8', encoding])
      const decoded = (await Array.fromAsync(textOf(file, encoding))).join('')
      expect(decoded).toMatch(/^id,name\n1,(?:"García, René"\n2,Muñoz\n3,O’Brien|Ángel\n2,O’Brien\n3,🏠)\n$/)
    }
  })

  test.each([
    ['a word that was encoded only once', 'id,name\n1,MuÃ±oz\n2,René\n'],
    ['a letter that does not begin a UTF-8 sequence', 'id,city\n1,SÃO PAULO\n2,MuÃ±oz\n'],
    ['a sequence interrupted by ASCII text', `id,name\n1,Ã${'x'.repeat(100)}±\n`],
    ['a sequence that is cut off', 'id,name\n1,MuÃ±oz\n2,Ã'],
    ['letters that only partly look like a sequence', 'id,name\n1,Ã€pfel und Ãpfel\n'],
  ])('and assumes UTF-8 for %s', async (_what, text) =>
    expect(await findEncoding(fileOf(Buffer.from(text)))).toEqual({ encoding: 'utf-8' }),
  )

  test('and assumes UTF-8 if only few characters are invalid', async () => {
    const bytes = Buffer.concat([Buffer.from('id,ü\n1,é,'), Buffer.from([0xfc]), Buffer.from('\n2,ü\n')])
    expect((await findEncoding(fileOf(bytes))).encoding).toBe('utf-8')
    const cut = Buffer.from('id,city\n1,Mü').subarray(0, -1)
    expect((await findEncoding(fileOf(cut))).choices).toBeDefined()
  })

  test('by reading the whole file', async () => {
    const bytes = Buffer.concat([Buffer.alloc(200_000, 'id,name\n'), encode('1,Núñez\n', 'windows-1252')])
    expect(await findEncoding(inChunks(bytes))).toEqual({
      encoding: 'windows-1252',
      choices: expect.arrayContaining([
        { encoding: 'windows-1252', words: ['Núñez'] },
        { encoding: 'macintosh', words: ['N˙Òez'] },
        { encoding: 'utf-8', words: ['N��ez'] },
      ]),
    })
  })
})

test('decodes ASCII in each encoding, however it is split into chunks', () => {
  for (const encoding of Object.keys(encodings) as Encoding[]) {
    if (encoding.startsWith('utf-16')) continue
    const decode = decoderOf(encoding)
    expect(decode(Buffer.from('a,')) + decode(Buffer.from('b\n')) + decode()).toBe('a,b\n')
  }
})
