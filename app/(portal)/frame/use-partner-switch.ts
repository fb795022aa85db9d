import { usePathname, useSearchParams } from 'next/navigation'
import { withOtherPartner } from '#app/ui/partner-href.ts'
import { partnerButton } from './viewer.ts'

/** Returns a function from a partner's slug (or null for all) to the URL of the same page. */
export function usePartnerSwitch(): (slug: string | null) => string {
  const [path, query] = [usePathname(), useSearchParams().toString()]
  return (slug) => `${withOtherPartner(path, query, slug)}#${partnerButton}`
}
