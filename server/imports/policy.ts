/** The largest file that is accepted. */
export const fileMaxBytes = 1024 ** 3

/** How long the rejected lines of an import are kept. */
export const rejectedKeptDays = 30

/** How long an import that nobody finished is kept. */
export const leftoverKeptDays = 7
