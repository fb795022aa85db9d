import { Pencil, Send, Trash2 } from 'lucide-react'
import { type Key, type ReactNode, useState } from 'react'
import { Button } from '#app/ui/button.tsx'
import { ConfirmDialog } from '#app/ui/confirm.tsx'
import { MenuItem, MenuLine, RowMenu } from '#app/ui/menu.tsx'
import { Panel } from '#app/ui/page-head.tsx'
import { type Query, QueryState } from '#app/ui/states.tsx'

/** Shows a list of items and the dialog that adds or edits one. The dialog gets null for a new item. */
export function EditableList<Item extends { id: Key }, Failure>({
  title,
  about,
  add,
  query,
  items,
  line,
  dialog,
}: {
  title: string
  about: string
  add: string
  query: Query<Failure>
  items: Item[] | undefined
  line: (item: Item, edit: () => void) => ReactNode
  dialog: (item: Item | null, close: () => void) => ReactNode
}) {
  const [edited, edit] = useState<Item | 'new' | null>(null)
  return (
    <>
      <Panel title={title} about={about}>
        <QueryState what={title.toLowerCase()} query={query} data={items}>
          {(loaded) => (
            <div className="flex flex-col items-start gap-4">
              {loaded.length > 0 && (
                <ul className="w-full divide-y divide-line">
                  {loaded.map((item) => (
                    <li key={item.id} className="flex items-start justify-between gap-x-6 py-3 first:pt-0">
                      {line(item, () => edit(item))}
                    </li>
                  ))}
                </ul>
              )}
              <Button onClick={() => edit('new')}>{add}</Button>
            </div>
          )}
        </QueryState>
      </Panel>
      {edited !== null && dialog(edited === 'new' ? null : edited, () => edit(null))}
    </>
  )
}

/** Shows the menu of an item with Test, Edit, Delete and further actions from `children`. */
export function ItemMenu({
  name,
  busy,
  consequence,
  onTest,
  onEdit,
  onDelete,
  children,
}: {
  name: string
  busy: boolean
  /** Text that explains the effect of deleting the item. */
  consequence: string
  onTest: () => void
  onEdit: () => void
  onDelete: () => void
  children?: ReactNode
}) {
  const [isAsked, setAsked] = useState(false)
  return (
    <>
      <RowMenu about={name} busy={busy}>
        <MenuItem icon={Send} about={name} onSelect={onTest}>
          Send test
        </MenuItem>
        <MenuItem icon={Pencil} about={name} onSelect={onEdit}>
          Edit
        </MenuItem>
        {children}
        <MenuLine />
        <MenuItem icon={Trash2} about={name} isDestructive onSelect={() => setAsked(true)}>
          Delete
        </MenuItem>
      </RowMenu>
      {isAsked && (
        <ConfirmDialog
          title={`Delete ${name}?`}
          yes="Delete"
          isDestructive
          onYes={onDelete}
          onClose={() => setAsked(false)}
        >
          {consequence}
        </ConfirmDialog>
      )}
    </>
  )
}
