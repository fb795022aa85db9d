import { and, eq } from 'drizzle-orm'
import type { Database } from '#db/client.ts'
import { tokens } from '#db/schema/tokens.ts'
import type { PartnerId } from '../accounts/partner.ts'
import type { Sheet } from './sheet.ts'

/** Returns the sheet of a partner's link, or undefined if the token does not belong to a sheet link. */
export async function readSheet(
  db: Database,
  partnerId: PartnerId,
  tokenId: number,
): Promise<Sheet | undefined> {
  const [token] = await db
    .select({ sheet: tokens.sheet })
    .from(tokens)
    .where(and(eq(tokens.id, tokenId), eq(tokens.partnerId, partnerId)))
  return (token?.sheet as Sheet | null | undefined) ?? undefined
}
