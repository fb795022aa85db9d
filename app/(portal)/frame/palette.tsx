import { Command as Cmdk } from 'cmdk'
import { Search } from 'lucide-react'
import { useState } from 'react'
import { Dialog } from '#app/ui/dialog.tsx'
import { type Command, matchCommands } from './commands.ts'
import { DealsFound, useDealsFound } from './deals-found.tsx'
import { PaletteItem, PaletteSection } from './palette-item.tsx'
import { PartnersFound } from './partners-found.tsx'
import { usePaletteCommands } from './use-palette-commands.ts'
import type { Viewer, Window } from './viewer.ts'

/** Shows the palette that opens pages, finds deals and, for operators, selects a partner. */
export function Palette({
  viewer,
  start,
  open,
  onClose,
}: {
  viewer: Viewer
  start: 'palette' | 'partners'
  open: (window: Window) => void
  onClose: () => void
}) {
  const isOfPartners = start === 'partners'
  const [search, setSearch] = useState('')
  const { commands: all, go, choosePartner } = usePaletteCommands(viewer, open, onClose)
  const commands = isOfPartners ? [] : matchCommands(all, search)
  const found = useDealsFound(isOfPartners ? '' : search, go)
  return (
    <Dialog
      title={isOfPartners ? 'Select a partner' : 'Find a deal or page'}
      isTitleShown={false}
      at="top"
      onClose={onClose}
    >
      <Cmdk
        label={isOfPartners ? 'Partners' : 'Commands and deals'}
        shouldFilter={false}
        vimBindings={false}
        loop
        className="flex min-h-0 flex-col"
        onKeyDown={({ key, nativeEvent }) => {
          if (key === 'Enter' && !nativeEvent.isComposing && commands.length === 0) found.openFirst()
          if (key === 'Backspace' && search === '' && isOfPartners) open('palette')
        }}
      >
        <div className="flex items-center gap-3 border-b border-line px-4">
          <Search aria-hidden="true" className="size-5 shrink-0 text-ink-soft" />
          <Cmdk.Input
            autoFocus
            value={search}
            onValueChange={setSearch}
            placeholder={isOfPartners ? 'Find a partner…' : 'Find a deal or page…'}
            className="h-13 min-w-0 flex-1 bg-transparent text-base outline-none placeholder:text-ink-soft"
          />
        </div>
        <Cmdk.List className="max-h-[min(26rem,60dvh)] scroll-py-2 overflow-y-auto overscroll-contain p-2">
          <CommandsFound commands={commands} />
          {isOfPartners ? (
            <PartnersFound search={search} chosen={viewer.chosenPartner} onChoose={choosePartner} />
          ) : (
            <DealsFound found={found} isAlone={commands.length === 0} />
          )}
        </Cmdk.List>
      </Cmdk>
    </Dialog>
  )
}

function CommandsFound({ commands }: { commands: Command[] }) {
  return [...Map.groupBy(commands, ({ group }) => group)].map(([heading, group]) => (
    <PaletteSection key={heading} heading={heading}>
      {group.map(({ label, icon: Icon, run }) => (
        <PaletteItem key={label} value={label} onSelect={run}>
          <Icon aria-hidden="true" className="size-4 shrink-0 text-ink-soft" />
          {label}
        </PaletteItem>
      ))}
    </PaletteSection>
  ))
}
