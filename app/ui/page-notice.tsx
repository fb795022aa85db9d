import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { button } from './button.ts'
import { Link } from './link.tsx'
import { Notice } from './notice.tsx'

/** Shows why a page cannot be shown, and leads to the deals. */
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
