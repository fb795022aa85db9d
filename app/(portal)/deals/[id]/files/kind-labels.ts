import type { FileKind } from '#server/files/kind.ts'

/** What each kind of file is called. */
export const fileKindLabels: Record<FileKind, string> = {
  agreement: 'Agreement',
  'plan-set': 'Plan set',
  permit: 'Permit',
  photo: 'Photo',
  'utility-bill': 'Utility bill',
  other: 'Other',
}
