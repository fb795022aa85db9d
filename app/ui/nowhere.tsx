import { Compass } from 'lucide-react'
import { button } from './button.ts'
import { Link } from './link.tsx'
import { Notice } from './notice.tsx'

/** Says that an address has no page. */
export function Nowhere() {
  return (
    <Notice
      icon={Compass}
      level={1}
      title="There is no page here"
      action={
        <Link href="/deals" className={button.primary}>
          Go to your deals
        </Link>
      }
    >
      The address may have a typo, or the page has moved. Your deals are where they were.
    </Notice>
  )
}
