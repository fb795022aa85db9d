/** The kinds of a deal's files, in display order. */
export const fileKinds = ['agreement', 'plan-set', 'permit', 'photo', 'utility-bill', 'other'] as const
export type FileKind = (typeof fileKinds)[number]
