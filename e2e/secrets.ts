import { tokenPrefix } from '#server/tokens/policy.ts'

/** Matches texts that no log line may contain: tokens, signed URLs, SQL statements and code locations. */
export const secret = new RegExp(
  `${tokenPrefix}[0-9A-Za-z]{36}|signature=|expires=|Bearer|Failed query|select |at Object\\.`,
)
