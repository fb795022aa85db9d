import { Lock } from 'lucide-react'
import { button } from '#app/ui/button.ts'
import { Link } from '#app/ui/link.tsx'
import { Notice } from '#app/ui/notice.tsx'

/** Shows that the user has no access to a page. */
export default function Forbidden() {
  return (
    <Notice
      icon={Lock}
      level={1}
      title="You don’t have access to this page"
      action={
        <Link href="/deals" className={button.primary}>
          Go to your deals
        </Link>
      }
    >
      It is for admins or the installer’s staff. If you need access, ask an admin at your company.
    </Notice>
  )
}
