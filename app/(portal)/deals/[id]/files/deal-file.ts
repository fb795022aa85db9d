import type { inferRouterOutputs } from '@trpc/server'
import type { Api } from '#server/api.ts'
import type { FileKind } from '#server/files/kind.ts'

/** A file of a deal. */
export type DealFile = inferRouterOutputs<Api>['files']['list'][number]

export const fileKindLabels: Record<FileKind, string> = {
  agreement: 'Agreement',
  'plan-set': 'Plan set',
  permit: 'Permit',
  photo: 'Photo',
  'utility-bill': 'Utility bill',
  other: 'Other',
}
