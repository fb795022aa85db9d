import { FileSearch } from 'lucide-react'
import { PageNotice } from '#app/ui/page-notice.tsx'

/** Shows that the deal does not exist or belongs to another partner. */
export default function NoDeal() {
  return (
    <PageNotice icon={FileSearch} title="Deal not found">
      The URL may have a typo, or the deal moved to another partner. Try searching for the homeowner&rsquo;s
      name or street.
    </PageNotice>
  )
}
