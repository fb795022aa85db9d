import { formatCountOf } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'

/** Links to the deals without a partner, with their number. */
export function WithoutPartner({ count }: { count: number }) {
  return (
    <Link href="/deals?of=" className="underline">
      {formatCountOf(count, 'deal')} without a partner
    </Link>
  )
}
