import { type LucideIcon, Mail, MapPin, MessageSquare, Phone } from 'lucide-react'
import type { KnownDeal } from '#server/deals/deal.ts'
import type { Holder } from '#server/deals/milestones/money.ts'
import { dealAddress } from '../deal-name.ts'
import { fieldLabels } from '../field-labels.ts'
import { mailHref, mapHref, phoneHref, textHref } from './contact.ts'
import { responsibleFor } from './responsible.ts'

/** Shows on phones and tablets, above all else, whom to call, text and write to, and where the house is. */
export function QuickContact({ deal, holder }: { deal: KnownDeal; holder: Holder | null }) {
  const phone = deal.primaryPhone ?? ''
  const { role, person } = responsibleFor(deal, holder)
  const links = [
    { icon: Phone, label: 'Call', about: 'homeowner', href: phoneHref(phone) },
    { icon: MessageSquare, label: 'Text', about: 'homeowner', href: textHref(phone) },
    { icon: Mail, label: 'E-mail', about: lowerLabel(role), href: mailHref(person?.email ?? '') },
    { icon: MapPin, label: 'Map', about: 'of the street address', href: mapHref(dealAddress(deal)) },
  ].filter((link): link is typeof link & { href: string } => link.href !== null)
  if (links.length === 0) return null
  return (
    <ul aria-label="Contact" className="flex w-full gap-2 lg:hidden">
      {links.map(({ label, ...link }) => (
        <li key={label} className="min-w-0 flex-1">
          <ContactButton label={label} {...link} />
        </li>
      ))}
    </ul>
  )
}

const lowerLabel = (role: ReturnType<typeof responsibleFor>['role']) => fieldLabels[role].label.toLowerCase()

function ContactButton({
  icon: Icon,
  label,
  about,
  href,
}: {
  icon: LucideIcon
  label: string
  about: string
  href: string
}) {
  const isMap = href.startsWith('https:')
  return (
    <a
      href={href}
      {...(isMap && { target: '_blank', rel: 'noopener noreferrer' })}
      className="flex min-h-12 flex-col items-center justify-center rounded-lg border border-line bg-surface px-1 text-xs font-medium hover:bg-sunken"
    >
      <Icon aria-hidden="true" className="size-4 text-accent" />
      <span>
        {label}
        <span className="sr-only"> {about}</span>
      </span>
    </a>
  )
}
