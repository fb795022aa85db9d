/** Encodings of text files with their names, most common first. */
export const encodings = {
  'utf-8': 'UTF-8',
  'windows-1252': 'Windows-1252',
  macintosh: 'Mac Roman',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16 (big endian)',
  'iso-8859-15': 'ISO 8859-15',
  ibm850: 'DOS (code page 850)',
  ibm437: 'DOS (code page 437)',
  'windows-1250': 'Windows-1250 (Central European)',
  'iso-8859-2': 'ISO 8859-2 (Central European)',
  'windows-1254': 'Windows-1254 (Turkish)',
  'windows-1257': 'Windows-1257 (Baltic)',
  'windows-1251': 'Windows-1251 (Cyrillic)',
  'koi8-u': 'KOI8 (Cyrillic)',
  'windows-1253': 'Windows-1253 (Greek)',
  'windows-1255': 'Windows-1255 (Hebrew)',
  'windows-1256': 'Windows-1256 (Arabic)',
  ibm852: 'DOS (code page 852, Central European)',
  ibm866: 'DOS (code page 866, Cyrillic)',
  'windows-1258': 'Windows-1258 (Vietnamese)',
  shift_jis: 'Shift JIS (Japanese)',
  gb18030: 'GB 18030 (Chinese)',
  big5: 'Big5 (Chinese)',
  'euc-kr': 'EUC-KR (Korean)',
  'euc-jp': 'EUC-JP (Japanese)',
  'utf-8-twice': 'UTF-8, encoded twice',
  'utf-8-twice-mac': 'UTF-8, encoded twice by way of Mac Roman',
} as const

export type Encoding = keyof typeof encodings

export const encodingNames = Object.keys(encodings) as [Encoding, ...Encoding[]]
