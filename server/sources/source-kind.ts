/** The kinds of source systems. */
export type SourceKind = 'hubspot' | 'sql'
