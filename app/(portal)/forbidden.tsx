import { Lock } from 'lucide-react'
import { PageNotice } from '#app/ui/page-notice.tsx'

/** Shows that the user has no access to a page. */
export default function Forbidden() {
  return (
    <PageNotice icon={Lock} title="You don’t have access to this page">
      Your role doesn’t include it. If you need it, ask an admin.
    </PageNotice>
  )
}
