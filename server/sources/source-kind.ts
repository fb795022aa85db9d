/** Kinds of source systems. */
export type SourceKind = 'hubspot' | 'sql'
