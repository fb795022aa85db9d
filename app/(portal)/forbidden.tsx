import { Lock } from 'lucide-react'
import { PageNotice } from '#app/ui/page-notice.tsx'

/** Shows that the user has no access to a page. */
export default function Forbidden() {
  return (
    <PageNotice icon={Lock} title="You don’t have access to this page">
      It is for admins or the installer’s staff. If you need access, ask an admin at your company.
    </PageNotice>
  )
}
