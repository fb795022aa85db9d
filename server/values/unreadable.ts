import { quoted } from './short-text.ts'

/** A value that cannot be read. `reason` follows the name of the field and explains what to do. */
export class Unreadable {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

/** Returns an unreadable value whose reason quotes the text: `“abc” is not a number`. */
export const unreadable = (text: string, problem: string) => new Unreadable(`${quoted(text)} ${problem}`)
