import { Compass } from 'lucide-react'
import { PageNotice } from './page-notice.tsx'

/** Shows that a URL has no page. */
export function Nowhere() {
  return (
    <PageNotice icon={Compass} title="Page not found">
      The URL may have a typo, or the page was removed.
    </PageNotice>
  )
}
