/** The kinds of systems that deals come from. */
export type SourceKind = 'hubspot' | 'sql'
