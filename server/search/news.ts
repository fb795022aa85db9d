/**
 * What happened to a deal, according to its partner's events: it became visible, a visible field changed, or
 * its stage changed.
 */
export const newsKinds = ['new', 'updated', 'moved'] as const
export type NewsKind = (typeof newsKinds)[number]

/** The label of each kind of news. */
export const newsLabels: Readonly<Record<NewsKind, string>> = {
  new: 'New',
  updated: 'Updated',
  moved: 'Changed stage',
}
