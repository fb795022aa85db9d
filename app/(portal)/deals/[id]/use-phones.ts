'use client'

import { trpc } from '#app/trpc.ts'
import type { Person } from '#server/deals/deal.ts'
import { staffKey } from '#server/deals/phones/phone.ts'
import { hourMs } from '#server/protocol/units.ts'

/** Returns a lookup of the phone numbers that operators entered for a deal's people; null if none. */
export function usePhones(id: string): (person: Person | null) => string | null {
  const { data = {} } = trpc.deals.phones.useQuery({ id }, { staleTime: hourMs })
  return (person) => (person?.email ? (data[staffKey(person.email)] ?? null) : null)
}
