'use client'

import { ExternalLink, type LucideIcon, Mail, MapPin, Phone } from 'lucide-react'
import { trpc } from '#app/trpc.ts'
import { type Person, staffKey } from '#server/deals/deal.ts'
import { hourMs } from '#server/values/units.ts'
import { mailHref, mapHref, phoneHref, webHref } from './contact.ts'

/** Shows a link to `href`, or plain text if there is no `href`. */
function ContactLink({
  icon: Icon,
  href,
  text,
  opens,
}: {
  icon: LucideIcon
  href: string | null
  text: string | null
  /** What opens in a new tab, if anything. */
  opens?: string
}) {
  if (href === null) return text
  return (
    <a
      href={href}
      {...(opens !== undefined && { target: '_blank', rel: 'noopener noreferrer' })}
      className="inline-flex max-w-full items-baseline gap-1.5 rounded-sm text-accent underline decoration-transparent underline-offset-2 hover:decoration-current max-lg:min-h-11 max-lg:items-center"
    >
      <Icon aria-hidden="true" className="size-3.5 shrink-0 lg:translate-y-0.5" />
      <span className="min-w-0 wrap-anywhere tabular-nums">{text}</span>
      {opens !== undefined && <span className="sr-only">(opens {opens} in a new tab)</span>}
    </a>
  )
}

/** Links an e-mail address. Shows other text unchanged. */
export const MailLink = ({ address }: { address: string | null }) => (
  <ContactLink icon={Mail} href={mailHref(address ?? '')} text={address} />
)

/** Links a phone number. Shows other text unchanged. */
export const PhoneLink = ({ number }: { number: string | null }) => (
  <ContactLink icon={Phone} href={phoneHref(number ?? '')} text={number} />
)

/** Links a web page. Shows other text unchanged. */
export function WebLink({ address }: { address: string | null }) {
  const href = webHref(address ?? '')
  const text = href === null ? address : address!.trim().replace(/^https?:\/\//i, '')
  return <ContactLink icon={ExternalLink} href={href} text={text} opens="a page" />
}

/** Links a street address to a map. */
export const MapLink = ({ address }: { address: string }) => (
  <ContactLink icon={MapPin} href={mapHref(address)} text={address} opens="a map" />
)

/**
 * Returns a function that looks up the phone number that operators entered for a person; null if there is
 * none.
 */
export function usePhones(id: string): (person: Person | null) => string | null {
  const { data = {} } = trpc.deals.phones.useQuery({ id }, { staleTime: hourMs })
  return (person) => (person?.email ? (data[staffKey(person.email)] ?? null) : null)
}
