import { type DealField, type KnownDeal, dealFields } from '#server/deals/deal.ts'

/** Returns a deterministic random generator for a seed: mulberry32, public domain. */
export function randomFrom(seed: number) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const erasable = (Object.keys(dealFields) as DealField[]).filter(
  (field) => field !== 'id' && field !== 'stage',
)

/** Returns a copy of a deal in which each field was removed with the given probability. */
export function erase(
  deal: KnownDeal,
  random: () => number,
  { chance, isStageErased }: { chance: number; isStageErased: boolean },
): KnownDeal {
  const erased: Record<string, unknown> = { ...deal }
  for (const field of erasable) if (random() < chance) erased[field] = null
  if (isStageErased) erased['stage'] = null
  return erased as unknown as KnownDeal
}
