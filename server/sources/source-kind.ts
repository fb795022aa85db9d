/** The kinds of systems that deals come from. */
export const sourceKinds = ['hubspot', 'sql'] as const
export type SourceKind = (typeof sourceKinds)[number]
