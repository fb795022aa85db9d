import { Dialog } from '#app/ui/dialog.tsx'
import { Keys } from '#app/ui/key.tsx'
import { keyTable } from './keys.ts'

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
