'use client'

import { type LucideIcon, Mail, MapPin, MessageSquare, Phone, ExternalLink } from 'lucide-react'
import { trpc } from '#app/trpc.ts'
import type { ResponsibleRole } from '#server/deals/blocker.ts'
import { type KnownDeal, type Person, staffKey } from '#server/deals/deal.ts'
import { hourMs } from '#server/values/units.ts'
import { mailHref, mapHref, phoneHref, textHref, responsibleFor, webHref } from '../contact.ts'
import { dealAddress } from '../deal-text.ts'
import { fieldLabels } from '../fields.ts'

function ContactLink({
  icon: Icon,
  href,
  text,
  opens,
}: {
  icon: LucideIcon
  href: string | null
  text: string | null
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

/** Returns a function that looks up the phone number entered by operators, or null. */
export function usePhones(id: string): (person: Person | null) => string | null {
  const { data = {} } = trpc.deals.phones.useQuery({ id }, { staleTime: hourMs })
  return (person) => (person?.email ? (data[staffKey(person.email)] ?? null) : null)
}

/** Shows buttons to call, text, e-mail and navigate at the top of narrow windows. */
export function QuickContact({
  deal,
  responsible,
}: {
  deal: KnownDeal
  responsible: ResponsibleRole | null
}) {
  const phone = deal.primaryPhone ?? ''
  const { role, person } = responsibleFor(deal, responsible)
  const phoneOf = usePhones(String(deal.id))
  const links = [
    { icon: Phone, label: 'Call homeowner', href: phoneHref(phone) },
    { icon: MessageSquare, label: 'Text homeowner', href: textHref(phone) },
    { icon: Phone, label: `Call ${whom(role, person)}`, href: phoneHref(phoneOf(person) ?? '') },
    { icon: Mail, label: `E-mail ${whom(role, person)}`, href: mailHref(person?.email ?? '') },
    { icon: MapPin, label: 'Map', href: mapHref(dealAddress(deal)) },
  ].filter((link): link is typeof link & { href: string } => link.href !== null)
  if (links.length === 0) return null
  return (
    <ul aria-label="Contact" className="flex w-full flex-wrap gap-2 lg:hidden print:hidden">
      {links.map(({ icon: Icon, label, href }) => (
        <li key={label} className="min-w-20 flex-1">
          <a
            href={href}
            {...(label === 'Map' && { target: '_blank', rel: 'noopener noreferrer' })}
            className="flex h-full min-h-14 flex-col items-center justify-center gap-0.5 rounded-lg border border-line bg-surface px-1 py-1.5 text-center text-xs font-medium hover:bg-sunken"
          >
            <Icon aria-hidden="true" className="size-4 shrink-0 text-accent" />
            <span className="line-clamp-2 max-w-full wrap-anywhere">{label}</span>
          </a>
        </li>
      ))}
    </ul>
  )
}

const whom = (role: ReturnType<typeof responsibleFor>['role'], person: Person | null) =>
  person?.firstName?.trim() || fieldLabels[role].label.toLowerCase()
