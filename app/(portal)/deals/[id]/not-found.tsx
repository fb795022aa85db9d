import { FileSearch } from 'lucide-react'
import { button } from '#app/ui/button.ts'
import { Link } from '#app/ui/link.tsx'
import { Notice } from '#app/ui/notice.tsx'

/** What there is to see instead of a deal that does not exist, or is somebody else's. */
export default function NoDeal() {
  return (
    <Notice
      icon={FileSearch}
      level={1}
      title="There is no such deal"
      action={
        <Link href="/deals" className={button.primary}>
          Go to your deals
        </Link>
      }
    >
      The address may have a typo, or the deal is no longer yours. Search for the homeowner&rsquo;s name or
      street to be sure.
    </Notice>
  )
}
