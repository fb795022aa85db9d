import type { Database } from '#db/client.ts'
import { columnOf, flagFields, flagsOf, timeFields } from '#server/deals/columns.ts'
import { type DealField, type FieldKind, dealFields } from '#server/deals/deal.ts'
import { parseDeal, renderValue, renderVersion } from '#server/deals/render.ts'

/** Returns the JSON of a deal as an older version would have rendered it, without these fields. */
export function olderJson(json: string, without: DealField[]): string {
  const deal = parseDeal(json)
  const known = (Object.entries(dealFields) as [DealField, { kind: FieldKind }][]).filter(
    ([field]) => !without.includes(field),
  )
  return `{${known.map(([field, { kind }]) => `"${field}":${renderValue(kind, deal[field])}`).join(',')}}`
}

/** Removes these fields and columns from a partner's deals, as if an older version had stored the deals. */
export async function makeOlder(
  { $client: sql }: Database,
  partnerId: number,
  without: DealField[],
): Promise<void> {
  const deals = await sql<
    { id: string; json: string }[]
  >`select id, json from deals where partner_id = ${partnerId}`
  const times = timeFields
    .filter((field) => without.includes(field))
    .map((field) => sql`, ${sql(columnOf(field))} = null`)
  await sql`
    update deals set json = older.json, render_version = ${renderVersion - 1}, name_key = null, flags = flags & ~${flagsOf(flagFields.filter((field) => without.includes(field)))}::integer
      ${times.reduce((all, time) => sql`${all}${time}`, sql``)}
    from unnest(${deals.map(({ id }) => id)}::bigint[], ${deals.map(({ json }) => olderJson(json, without))}::text[]) as older (id, json)
    where deals.id = older.id`
}
