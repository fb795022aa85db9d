import { Compass } from 'lucide-react'
import { button } from './button.ts'
import { Link } from './link.tsx'
import { Notice } from './notice.tsx'

/** Shows that a URL has no page. */
export function Nowhere() {
  return (
    <Notice
      icon={Compass}
      level={1}
      title="Page not found"
      action={
        <Link href="/deals" className={button.primary}>
          Go to your deals
        </Link>
      }
    >
      The URL may have a typo, or the page was removed.
    </Notice>
  )
}
