import { type LucideIcon, Mail, MapPin, MessageSquare, Phone } from 'lucide-react'
import type { KnownDeal, Person } from '#server/deals/deal.ts'
import type { ResponsibleRole } from '#server/deals/milestones/money.ts'
import { dealAddress } from '../deal-name.ts'
import { fieldLabels } from '../field-labels.ts'
import { usePhones } from './contact-links.tsx'
import { mailHref, mapHref, phoneHref, textHref, responsibleFor } from './contact.ts'

/**
 * Shows, at the top of the page on phones and tablets, buttons to call, text and e-mail people and to open
 * the street address.
 */
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
      {links.map(({ label, ...link }) => (
        <li key={label} className="min-w-20 flex-1">
          <ContactButton label={label} {...link} />
        </li>
      ))}
    </ul>
  )
}

/** Returns a short name for a person: the first name, or else the role. */
const whom = (role: ReturnType<typeof responsibleFor>['role'], person: Person | null) =>
  person?.firstName?.trim() || fieldLabels[role].label.toLowerCase()

function ContactButton({ icon: Icon, label, href }: { icon: LucideIcon; label: string; href: string }) {
  const isMap = href.startsWith('https:')
  return (
    <a
      href={href}
      {...(isMap && { target: '_blank', rel: 'noopener noreferrer' })}
      className="flex h-full min-h-14 flex-col items-center justify-center gap-0.5 rounded-lg border border-line bg-surface px-1 py-1.5 text-center text-xs font-medium hover:bg-sunken"
    >
      <Icon aria-hidden="true" className="size-4 shrink-0 text-accent" />
      <span className="line-clamp-2 max-w-full wrap-anywhere">{label}</span>
    </a>
  )
}
