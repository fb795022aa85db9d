import { Building2 } from 'lucide-react'
import { readPageView } from '#app/trpc-server.ts'
import { button } from '#app/ui/button.ts'
import { PartnerLink } from '#app/ui/link.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { Nowhere } from '#app/ui/nowhere.tsx'

/** Says that an address has no page, or names a partner that there is not. */
export default async function NotFound() {
  const { asked, partner } = await readPageView()
  if (asked === partner) return <Nowhere />
  return (
    <Notice
      icon={Building2}
      level={1}
      title="There is no such partner"
      action={
        <PartnerLink partner={null} href="/" className={button.primary}>
          View all partners
        </PartnerLink>
      }
    >
      The address names a partner that does not exist. It may have a typo.
    </Notice>
  )
}
