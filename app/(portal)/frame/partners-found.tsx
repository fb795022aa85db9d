import { Check } from 'lucide-react'
import { trpc } from '#app/trpc.ts'
import { matchCommands } from './commands.ts'
import { PaletteItem, PaletteNote, PaletteSection } from './palette-item.tsx'
import type { PartnerLabel } from './viewer.ts'

// Nobody scrolls past this many; typing narrows the list.
const shownMax = 100

/** Shows the partners that an operator can view the portal as. */
export function PartnersFound({
  search,
  chosen,
  onChoose,
}: {
  search: string
  chosen: PartnerLabel | null
  onChoose: (slug: string | null) => void
}) {
  const { data, error } = trpc.accounts.partners.useQuery()
  if (error !== null) return <PaletteNote>Could not load partners.</PaletteNote>
  if (data === undefined) return <PaletteNote>Loading partners…</PaletteNote>
  const all = [
    { slug: null, label: 'All partners' },
    ...data.map(({ slug, name }) => ({ slug, label: name })),
  ]
  const found = matchCommands(all, search)
  if (found.length === 0) return <PaletteNote>No results for “{search.trim()}”.</PaletteNote>
  return (
    <PaletteSection heading="View as">
      {found.slice(0, shownMax).map(({ slug, label }) => (
        <PaletteItem key={slug} value={slug ?? 'All partners'} onSelect={() => onChoose(slug)}>
          <span className="min-w-0 truncate">{label}</span>
          {slug === (chosen?.slug ?? null) && (
            <Check aria-label="Selected" className="ml-auto size-4 shrink-0 text-accent" />
          )}
        </PaletteItem>
      ))}
    </PaletteSection>
  )
}
