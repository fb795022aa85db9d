import { tokenPrefix } from '#server/tokens/policy.ts'

/** What no line of the log may hold: tokens, signed addresses, statements and places in the code. */
export const secret = new RegExp(
  `${tokenPrefix}[0-9A-Za-z]{36}|signature=|expires=|Bearer|Failed query|select |at Object\\.`,
)
