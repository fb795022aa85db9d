/** Encodings of text files and their names, most common first. */
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
  'utf-8-twice': 'UTF-8, encoded twice',
  'utf-8-twice-mac': 'UTF-8, encoded twice by way of Mac Roman',
} as const

export type Encoding = keyof typeof encodings

export const encodingNames = Object.keys(encodings) as [Encoding, ...Encoding[]]
