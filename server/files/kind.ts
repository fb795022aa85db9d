/** What a file of a deal is; the order in which the kinds are offered. */
export const fileKinds = ['agreement', 'plan-set', 'permit', 'photo', 'utility-bill', 'other'] as const
export type FileKind = (typeof fileKinds)[number]
