/** The distance from one card to the next, in pixels. */
export const cardHeight = 136

/** The gap between cards, in pixels. */
export const cardGap = 12
