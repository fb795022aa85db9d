'use client'

import { trpc } from '#app/trpc.ts'
import type { Person } from '#server/deals/deal.ts'
import { staffKey } from '#server/deals/phones/phone.ts'
import { hourMs } from '#server/protocol/units.ts'

/** Returns what gives the phone number of a person in a deal, as the operator entered it; null without one. */
export function usePhones(id: string): (person: Person | null) => string | null {
  const { data = {} } = trpc.deals.phones.useQuery({ id }, { staleTime: hourMs })
  return (person) => (person?.email ? (data[staffKey(person.email)] ?? null) : null)
}
