import { Link } from '#app/ui/link.tsx'

const tabs = [
  { label: 'Steps', href: '/flow' },
  { label: 'Trends', href: '/flow/trends' },
]

/** Links the pages of flow with each other. */
export function FlowTabs({ current }: { current: 'Steps' | 'Trends' }) {
  return (
    <nav aria-label="Flow" className="mb-5 flex gap-5 border-b border-line print:hidden">
      {tabs.map(({ label, href }) => (
        <Link
          key={label}
          href={href}
          aria-current={label === current ? 'page' : undefined}
          className="-mb-px border-b-2 border-transparent pb-2 font-medium text-ink-soft hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink"
        >
          {label}
        </Link>
      ))}
    </nav>
  )
}
