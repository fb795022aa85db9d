// Stages are what the installer's staff calls them, so that only words can be gone by.
const ended = /\b(?:cancel(?:l?ed|l?ation)?|lost|dead|closed|withdrawn|terminated|archived|funded)\b/i
const complete =
  /^[^a-z]*(?:(?:project|job|deal|service|all)\W+)?(?:completed?|done|finished)\s*(?:$|[^\sa-z])/i
const notYet = /\b(?:not|to be|ready|waiting|pending)\b|\b(?:await|partial|request)/i

/**
 * Returns whether nothing is expected any more of a deal in this stage, as far as its words tell:
 * `Cancelled`, `Closed Won`, `Complete`. A step that is complete (`Install Complete`) is no end, and an
 * unknown stage is none either.
 */
export function isClosed(stage: string | null): boolean {
  return stage !== null && !notYet.test(stage) && (ended.test(stage) || complete.test(stage))
}
