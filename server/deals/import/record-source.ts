import type { Fault } from './record.ts'

/** A record of a file that nobody has looked into yet; `line` is where it starts, from 1. */
export interface SourceItem<Raw> {
  line: number
  /** About how many bytes it has, by which work on it is measured out. */
  size: number
  raw: Raw
}

/** The records of a file, which can be walked several times; memory does not grow with the file. */
export interface RecordSource<Raw = unknown> {
  items(): AsyncIterable<SourceItem<Raw>>
  /** The id that the record names, or null when none can be read. */
  idOf(raw: Raw): bigint | null
  /** The text of the record, where the file holds it as JSON. */
  textOf(raw: Raw): string | null
  /** The record as the file has it, to show it to people. */
  quote(raw: Raw): string
  /** The record as a JSON value, or what is wrong with it. */
  valueOf(raw: Raw): { value: unknown } | { faults: Fault[] }
}

/** The largest record that is read: a deal is 4 KB, and 25 of them are a page. */
export const recordMaxBytes = 256 * 1024

/** The file cannot be read as what it should be; the message says why. */
export class UnreadableFile extends Error {}
