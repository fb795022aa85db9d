/** How far below each other cards begin, pixels. */
export const cardHeight = 136

/** What is left free between them. */
export const cardGap = 12
