import { FileSearch } from 'lucide-react'
import { button } from '#app/ui/button.ts'
import { Link } from '#app/ui/link.tsx'
import { Notice } from '#app/ui/notice.tsx'

/** Shown for a deal that does not exist or belongs to another partner. */
export default function NoDeal() {
  return (
    <Notice
      icon={FileSearch}
      level={1}
      title="Deal not found"
      action={
        <Link href="/deals" className={button.primary}>
          Go to your deals
        </Link>
      }
    >
      The URL may have a typo, or the deal moved to another partner. Try searching for the homeowner&rsquo;s
      name or street.
    </Notice>
  )
}
