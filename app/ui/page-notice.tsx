import { Compass, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { button } from './button-styles.ts'
import { Link } from './link.tsx'
import { Notice } from './notice.tsx'

/** Shows why a page is not available, with a link to the deals. */
export function PageNotice(props: { icon: LucideIcon; title: string; children: ReactNode }) {
  return (
    <Notice
      {...props}
      level={1}
      action={
        <Link href="/deals" className={button.primary}>
          Go to your deals
        </Link>
      }
    />
  )
}

/** Shows that a URL has no page. */
export function Nowhere() {
  return (
    <PageNotice icon={Compass} title="Page not found">
      The URL may have a typo, or the page was removed.
    </PageNotice>
  )
}
