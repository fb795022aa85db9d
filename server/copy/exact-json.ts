// Numbers, and strings, so that digits inside of strings are passed over.
const stringOrNumber = /"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*/g
const longInteger = /^-?\d{16,}$/

/**
 * Parses JSON without losing a digit of an integer: one of 16 digits or more becomes a string. Node 20 has no
 * reviver that sees the digits.
 * @throws SyntaxError if the text is not JSON
 */
export function parseExact(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text)
  return JSON.parse(
    text.replaceAll(stringOrNumber, (match) => (longInteger.test(match) ? `"${match}"` : match)),
  )
}
