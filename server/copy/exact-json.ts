// A long number, and every string, so that digits inside of strings are passed over.
const stringOrLongInteger = /"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g

/**
 * Parses JSON without losing a digit of an integer: one of 16 digits or more becomes a string. Node 20 has no
 * reviver that sees the digits.
 * @throws SyntaxError if the text is not JSON
 */
export function parseExact(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text)
  return JSON.parse(
    text.replaceAll(stringOrLongInteger, (match) => (match.startsWith('"') ? match : `"${match}"`)),
  )
}
