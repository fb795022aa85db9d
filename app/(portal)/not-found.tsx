import { Building2 } from 'lucide-react'
import { readPageView } from '#app/trpc-server.ts'
import { button } from '#app/ui/button-styles.ts'
import { PartnerLink } from '#app/ui/link.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { Nowhere } from '#app/ui/page-notice.tsx'

/** Shows that a URL has no page, or that the partner in the URL does not exist. */
export default async function NotFound() {
  const { requestedPartner, partner } = await readPageView()
  if (requestedPartner === partner) return <Nowhere />
  return (
    <Notice
      icon={Building2}
      level={1}
      title="Partner not found"
      action={
        <PartnerLink partner={null} href="/" className={button.primary}>
          View all partners
        </PartnerLink>
      }
    >
      The URL names a partner that does not exist. Check it for typos.
    </Notice>
  )
}
