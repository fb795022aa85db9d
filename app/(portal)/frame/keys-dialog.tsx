import { Dialog } from '#app/ui/dialog.tsx'
import { Keys, commandKey } from '#app/ui/key.tsx'

/** Shows the keyboard shortcuts. */
export function KeysDialog({ isMac, onClose }: { isMac: boolean; onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <div className="grid gap-6 overflow-y-auto sm:grid-cols-2 sm:grid-rows-[auto_1fr] sm:[&>:nth-child(2)]:row-span-2">
        {keyTable(isMac).map(({ where, keys }) => (
          <section key={where} aria-label={where}>
            <h3 className="mb-2 text-xs font-medium text-ink-soft">{where}</h3>
            <dl className="space-y-2">
              {keys.map((each) => (
                <div key={each.does} className="flex items-center justify-between gap-4">
                  <dt>{each.does}</dt>
                  <dd className="shrink-0">
                    <Keys keys={each.keys} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}

/** Returns the keyboard shortcuts by context. The keys of a shortcut are pressed together. */
function keyTable(isMac: boolean): { where: string; keys: { does: string; keys: string[] }[] }[] {
  return [
    {
      where: 'Everywhere',
      keys: [
        { does: 'Find a deal or page', keys: [commandKey(isMac), 'K'] },
        { does: 'Show keyboard shortcuts', keys: ['?'] },
        { does: 'Close dialog or menu', keys: ['Esc'] },
        { does: 'Go to Home, Deals, Board', keys: ['G', 'H, D, B'] },
        { does: 'Go to Money, Reports', keys: ['G', 'M, R'] },
        { does: 'Go to Notifications', keys: ['G', 'N'] },
      ],
    },
    {
      where: 'Deals list and board',
      keys: [
        { does: 'Search', keys: ['/'] },
        { does: 'Next or previous deal', keys: ['J', 'K'] },
        { does: 'Open deal', keys: ['Enter'] },
        { does: 'Peek at deal', keys: ['Space'] },
        { does: 'Select deal', keys: ['X'] },
        { does: 'Leave search', keys: ['Esc'] },
      ],
    },
    {
      where: 'Deal',
      keys: [
        { does: 'Next deal of the list', keys: ['J'] },
        { does: 'Previous deal of the list', keys: ['K'] },
        { does: 'Show beside the list', keys: ['Space'] },
        { does: 'Follow or unfollow', keys: ['F'] },
      ],
    },
  ]
}
