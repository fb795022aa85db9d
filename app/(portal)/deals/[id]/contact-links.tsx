import { ExternalLink, Mail, Phone } from 'lucide-react'
import { mailHref, phoneHref, webHref } from './contact.ts'

const look =
  'inline-flex max-w-full items-baseline gap-1.5 rounded-sm text-accent underline decoration-transparent underline-offset-2 hover:decoration-current'
const icon = 'size-3.5 shrink-0 translate-y-0.5'

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
