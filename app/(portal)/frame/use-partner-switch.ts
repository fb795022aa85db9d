import { usePathname, useSearchParams } from 'next/navigation'
import { withOtherPartner } from '#app/partner-href.ts'
import { partnerButton } from './viewer.ts'

/** Returns the address at which an operator goes on as another partner, or with null as all of them: this page, with the focus where the partner is chosen. */
export function usePartnerSwitch(): (slug: string | null) => string {
  const [path, query] = [usePathname(), useSearchParams().toString()]
  return (slug) => `${withOtherPartner(path, query, slug)}#${partnerButton}`
}
