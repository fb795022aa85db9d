/**
 * What happened to a deal, as the events of its partner say: it became visible to the partner; a field that the partner sees
 * changed; its stage did.
 */
export const newsKinds = ['new', 'updated', 'moved'] as const
export type NewsKind = (typeof newsKinds)[number]

/** The label of each kind of news. */
export const newsLabels: Readonly<Record<NewsKind, string>> = {
  new: 'New',
  updated: 'Updated',
  moved: 'Moved',
}
