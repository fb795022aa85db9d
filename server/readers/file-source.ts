import type { Encoding } from './encoding.ts'

/** An encoding that a text file may have, with words as it reads them: `Núñez, José`. */
export interface EncodingChoice {
  encoding: Encoding
  words: string[]
}

/** A number in a column that can be read in two ways, and its value with either decimal sign. */
export interface OpenNumber {
  title: string
  text: string
  values: { point: number; comma: number }
}

/** Rows that are not deals: their kind and number, and the first of them. */
export interface SkippedRows {
  kind: 'footer' | 'total' | 'titles' | 'rule'
  count: number
  rows: { row: number; text: string }[]
}
