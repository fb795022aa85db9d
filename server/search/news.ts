/**
 * Kinds of updates to a deal, based on its partner's events: the deal became visible, a visible field
 * changed, or the stage changed.
 */
export const newsKinds = ['new', 'updated', 'moved'] as const
export type NewsKind = (typeof newsKinds)[number]

/** Labels by kind of update. */
export const newsLabels: Readonly<Record<NewsKind, string>> = {
  new: 'New',
  updated: 'Updated',
  moved: 'Changed stage',
}
