import type { FileKind } from '#server/files/kind.ts'

/** The label of each kind of file. */
export const fileKindLabels: Record<FileKind, string> = {
  agreement: 'Agreement',
  'plan-set': 'Plan set',
  permit: 'Permit',
  photo: 'Photo',
  'utility-bill': 'Utility bill',
  other: 'Other',
}
