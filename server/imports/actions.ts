import type { Transaction } from '#db/client.ts'
import { type AuditContext, audited } from '../access/audited.ts'
import type { ImportCounts } from '../deals/import/import-deals.ts'
import { subjectOf } from './import.ts'

/** An import that begins; `counts` are the findings of its check, null without one. */
interface StartedImport {
  fileName: string
  partnerId: number | null
  counts: ImportCounts | null
  undoes?: number | null
}

/**
 * Begins an import, through the portal or by command. The audit entry comes first: each batch is a
 * transaction of its own, and the process may end between two of them.
 */
export function startImport<T extends StartedImport>(
  context: AuditContext,
  begin: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return audited(
    context,
    ({ fileName, partnerId, counts, undoes }: StartedImport) => ({
      action: undoes == null ? 'import.started' : 'import.undone',
      subject: counts === null ? fileName : subjectOf(fileName, counts),
      partnerId,
    }),
    begin,
  )
}
