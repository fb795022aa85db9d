import type { ResponsibleRole } from '#server/deals/blocker.ts'
import type { KnownDeal, Person } from '#server/deals/deal.ts'

/** Returns a mailto URL without recipients or headers from the text (RFC 6068), or null for other text. */
export function mailHref(text: string): string | null {
  const [, name, host] = /^([^\s@]{1,64})@([^\s@]{1,253})$/.exec(text.trim()) ?? []
  return name === undefined || host === undefined
    ? null
    : `mailto:${encodeURIComponent(name.toWellFormed())}@${encodeURIComponent(host.toWellFormed())}`
}

/** Returns a tel URL with the extension (RFC 3966), or null if the text is not a phone number. */
export function phoneHref(text: string): string | null {
  const [, number, extension] =
    /^(\+?[\d\s().\-/]+)(?:(?:x|ext\.?|extension)\s*(\d{1,8}))?$/i.exec(text.trim()) ?? []
  const digits = number?.replaceAll(/\D/g, '') ?? ''
  if (digits.length < 5 || digits.length > 15) return null
  return `tel:${number!.startsWith('+') ? '+' : ''}${digits}${extension === undefined ? '' : `;ext=${extension}`}`
}

/** Returns an sms URL (RFC 5724), or null if the text is not a phone number or has an extension. */
export const textHref = (text: string) => phoneHref(text)?.replace('tel:', 'sms:').split(';')[0] ?? null

/** Returns the URL of a map for a street address, or null if the text is empty. */
export const mapHref = (address: string) =>
  address.trim() === ''
    ? null
    : `https://www.google.com/maps/search/?api=1&query=${encodeURIComponent(address.trim().toWellFormed())}`

/** Returns an absolute http or https URL without credentials, or null if the text is not such a URL. */
export function webHref(text: string): string | null {
  if (!/^\s*https?:\/\/[^\s/]/i.test(text)) return null
  const url = URL.parse(text.trim())
  return url === null || url.username !== '' || url.password !== '' ? null : url.href
}

type Role = Exclude<ResponsibleRole, 'lender'>

/**
 * Returns the person responsible for the next step if they have an e-mail address, or else the project or
 * account manager.
 */
export function responsibleFor(
  deal: Pick<KnownDeal, Role>,
  responsible: ResponsibleRole | null = null,
): { role: Role; person: Person | null } {
  const isReachable = (person: Person | null) => mailHref(person?.email ?? '') !== null
  if (responsible !== null && responsible !== 'lender' && isReachable(deal[responsible]))
    return { role: responsible, person: deal[responsible] }
  const { projectManager, owner } = deal
  return isReachable(projectManager) || (projectManager !== null && !isReachable(owner))
    ? { role: 'projectManager', person: projectManager }
    : { role: 'owner', person: owner }
}
