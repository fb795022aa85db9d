import { formatCountOf } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'

/** A link to the deals that no partner sees, with how many there are. */
export function WithoutPartner({ count }: { count: number }) {
  return (
    <Link href="/deals?of=" className="underline">
      {formatCountOf(count, 'deal')} without a partner
    </Link>
  )
}
