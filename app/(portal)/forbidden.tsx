import { Lock } from 'lucide-react'
import { button } from '#app/ui/button.ts'
import { Link } from '#app/ui/link.tsx'
import { Notice } from '#app/ui/notice.tsx'

/** Says that a page is not for whoever opened it. */
export default function Forbidden() {
  return (
    <Notice
      icon={Lock}
      level={1}
      title="This page is not for your account"
      action={
        <Link href="/deals" className={button.primary}>
          Go to your deals
        </Link>
      }
    >
      Only admins, or the installer’s own staff, see what is here. If you need it, ask an admin of your
      company.
    </Notice>
  )
}
