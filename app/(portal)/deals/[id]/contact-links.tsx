'use client'

import { ExternalLink, Mail, MapPin, Phone } from 'lucide-react'
import { trpc } from '#app/trpc.ts'
import type { Person } from '#server/deals/deal.ts'
import { staffKey } from '#server/deals/phones/phone.ts'
import { hourMs } from '#server/values/units.ts'
import { mailHref, mapHref, phoneHref, webHref } from './contact.ts'

const look =
  'inline-flex max-w-full items-baseline gap-1.5 rounded-sm max-lg:min-h-11 max-lg:items-center text-accent underline decoration-transparent underline-offset-2 hover:decoration-current'
const icon = 'size-3.5 shrink-0 lg:translate-y-0.5'

/** Links an e-mail address; any other text stays text. */
export function MailLink({ address }: { address: string | null }) {
  const href = mailHref(address ?? '')
  if (href === null) return address
  return (
    <a href={href} className={look}>
      <Mail aria-hidden="true" className={icon} />
      <span className="min-w-0 wrap-anywhere">{address}</span>
    </a>
  )
}

/** Links a phone number; any other text stays text. */
export function PhoneLink({ number }: { number: string | null }) {
  const href = phoneHref(number ?? '')
  if (href === null) return number
  return (
    <a href={href} className={look}>
      <Phone aria-hidden="true" className={icon} />
      <span className="min-w-0 wrap-anywhere tabular-nums">{number}</span>
    </a>
  )
}

/** Links a web page in a new tab; any other text stays text. */
export function WebLink({ address }: { address: string | null }) {
  const href = webHref(address ?? '')
  if (href === null) return address
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" className={look}>
      <span className="min-w-0 wrap-anywhere">{address!.trim().replace(/^https?:\/\//i, '')}</span>
      <ExternalLink aria-hidden="true" className={icon} />
      <span className="sr-only">(opens in a new tab)</span>
    </a>
  )
}

/** Links a street address to a map in a new tab. */
export function MapLink({ address }: { address: string }) {
  return (
    <a href={mapHref(address) ?? undefined} target="_blank" rel="noopener noreferrer" className={look}>
      <MapPin aria-hidden="true" className={icon} />
      <span className="min-w-0 wrap-anywhere">{address}</span>
      <span className="sr-only">(opens a map in a new tab)</span>
    </a>
  )
}

/** Returns a lookup of the phone numbers that operators entered for a deal's people; null if none. */
export function usePhones(id: string): (person: Person | null) => string | null {
  const { data = {} } = trpc.deals.phones.useQuery({ id }, { staleTime: hourMs })
  return (person) => (person?.email ? (data[staffKey(person.email)] ?? null) : null)
}
