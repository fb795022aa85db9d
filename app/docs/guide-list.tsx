import { Link } from '#app/ui/link.tsx'
import { type Guide, guides, reference } from './guides.ts'

/** Lists pages as cards with titles and summaries. */
export function GuideList({ pages = [...guides, reference] }: { pages?: readonly Guide[] }) {
  return (
    <ul className="grid list-none! gap-3 space-y-0! pl-0! sm:grid-cols-2">
      {pages.map(({ href, title, about }) => (
        <li
          key={href}
          className="relative rounded-xl border border-line bg-surface p-4 focus-within:bg-sunken hover:bg-sunken"
        >
          <Link href={href} className="text-ink! no-underline! after:absolute after:inset-0 after:rounded-xl">
            {title}
          </Link>
          <p className="mt-0.5! text-sm text-ink-soft">{about}</p>
        </li>
      ))}
    </ul>
  )
}
