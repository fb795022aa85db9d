import { Check } from 'lucide-react'
import { trpc } from '#app/trpc.ts'
import { matchCommands } from './commands.ts'
import { PaletteItem, PaletteNote, PaletteSection } from './palette-item.tsx'
import type { PartnerLabel } from './viewer.ts'

// More than can be looked through; whoever seeks one types.
const shownMax = 100

/** The partners as which an operator can see the portal. */
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
  if (error !== null) return <PaletteNote>The partners cannot be read right now.</PaletteNote>
  if (data === undefined) return <PaletteNote>Loading partners…</PaletteNote>
  const all = [
    { slug: null, label: 'All partners' },
    ...data.map(({ slug, name }) => ({ slug, label: name })),
  ]
  const found = matchCommands(all, search)
  if (found.length === 0) return <PaletteNote>No partner is called “{search.trim()}”.</PaletteNote>
  return (
    <PaletteSection heading="View as">
      {found.slice(0, shownMax).map(({ slug, label }) => (
        <PaletteItem key={slug} value={slug ?? 'All partners'} onSelect={() => onChoose(slug)}>
          <span className="min-w-0 truncate">{label}</span>
          {slug === (chosen?.slug ?? null) && (
            <Check aria-label="chosen" className="ml-auto size-4 shrink-0 text-accent" />
          )}
        </PaletteItem>
      ))}
    </PaletteSection>
  )
}
